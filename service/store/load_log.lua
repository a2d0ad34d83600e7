#!lua flags=no-writes
-- The state and a part of the log that led to it, as of one moment.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the log        list
-- ARGV[1]  first          index of the first event wanted, from 0
-- ARGV[2]  last           index of the last one wanted; -1 for all the rest
--
-- Returns {nonce and state or nil, events oldest first}.

return {redis.call('GET', KEYS[1]), redis.call('LRANGE', KEYS[2], ARGV[1], ARGV[2])}
