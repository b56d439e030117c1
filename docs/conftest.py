"""The pages' examples are tests; the scripts that build the pages are not."""

collect_ignore = ["_build", "api/generated"]
collect_ignore_glob = ["*.py"]
