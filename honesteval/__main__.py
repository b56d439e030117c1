"""``python -m honesteval`` is the command line."""

from honesteval.cli import main

if __name__ == "__main__":
    main()
