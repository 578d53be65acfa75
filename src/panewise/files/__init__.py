"""Tables in files: read in process, and written so that none is ever half there."""
