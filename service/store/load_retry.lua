#!lua flags=no-writes
-- The state and what is remembered under one retry key, as of one moment.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the retries    hash
-- ARGV[1]  retry key
--
-- Returns {nonce and state, entry}, each nil if there is none.

return {redis.call('GET', KEYS[1]), redis.call('HGET', KEYS[2], ARGV[1])}
