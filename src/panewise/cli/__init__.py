"""The command line: one file for each command, which reads options and calls the library.

Nothing heavy is imported before a command runs, so that `--help` and completion are quick.
"""
