"""`qwirkle worker`: carries on what no request does."""
