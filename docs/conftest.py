"""The pages' examples are tests; the Sphinx configuration is not."""

collect_ignore = ["conf.py", "checks_page.py", "mathml.py", "_build", "api/generated"]
