"""The commands of `qwirkle` beside `serve`, one file each."""
