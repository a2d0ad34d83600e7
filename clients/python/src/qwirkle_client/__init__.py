"""A client of the Qwirkle service, blocking or for asyncio."""

from qwirkle_client import types
from qwirkle_client._entropy import Entropy
from qwirkle_client._follow_feed import FeedResync, FollowedFeed
from qwirkle_client._follow_game import Followed, Rematch, Resync
from qwirkle_client.client import (
    AsyncGameClient,
    AsyncQwirkle,
    GameClient,
    Qwirkle,
    split_game_url,
)
from qwirkle_client.errors import (
    Conflict,
    Forbidden,
    GameDeleted,
    MalformedRequest,
    NoAnswer,
    NotFound,
    ProblemError,
    QwirkleError,
    RateLimited,
    Refused,
    ServiceUnavailable,
    StaleVersion,
    TokenRefused,
    UnexpectedAnswer,
)

__all__ = [
    "AsyncGameClient",
    "AsyncQwirkle",
    "Conflict",
    "Entropy",
    "FeedResync",
    "Followed",
    "FollowedFeed",
    "Forbidden",
    "GameClient",
    "GameDeleted",
    "MalformedRequest",
    "NoAnswer",
    "NotFound",
    "ProblemError",
    "Qwirkle",
    "QwirkleError",
    "RateLimited",
    "Refused",
    "Rematch",
    "Resync",
    "ServiceUnavailable",
    "StaleVersion",
    "TokenRefused",
    "UnexpectedAnswer",
    "split_game_url",
    "types",
]
