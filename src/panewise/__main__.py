"""`python -m panewise` is the command `panewise`."""

from panewise.cli.main import main

if __name__ == "__main__":
    main()
