#!lua flags=no-writes
-- The state and the whole log that led to it, as of one moment.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the log        list
--
-- Returns {nonce and state or nil, events oldest first}.

return {redis.call('GET', KEYS[1]), redis.call('LRANGE', KEYS[2], 0, -1)}
