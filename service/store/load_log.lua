#!lua flags=no-writes
-- The state and a part of the log that led to it, as of one moment.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the renewals   string
-- KEYS[3]  the log        list
-- ARGV[1]  first          index of the first event wanted, from 0
-- ARGV[2]  last           index of the last one wanted; -1 for all the rest
--
-- Returns {nonce and state, nonce and renewals, events oldest first}, the first two nil if absent.

return {
  redis.call('GET', KEYS[1]),
  redis.call('GET', KEYS[2]),
  redis.call('LRANGE', KEYS[3], ARGV[1], ARGV[2])
}
