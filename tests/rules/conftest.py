"""Property tests run the same cases everywhere; a failure prints the seed that shows it."""

from hypothesis import HealthCheck, settings

settings.register_profile(
    "stable",
    derandomize=True,
    database=None,
    deadline=None,
    print_blob=True,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.load_profile("stable")
