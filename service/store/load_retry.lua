#!lua flags=no-writes
-- The state and what is remembered under one retry key, as of one moment.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the renewals   string
-- KEYS[3]  the retries    hash
-- ARGV[1]  retry key
--
-- Returns {nonce and state, nonce and renewals, entry}, each nil if there is none.

return {
  redis.call('GET', KEYS[1]),
  redis.call('GET', KEYS[2]),
  redis.call('HGET', KEYS[3], ARGV[1])
}
