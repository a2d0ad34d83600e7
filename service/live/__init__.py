"""What the open event streams of a process share."""
