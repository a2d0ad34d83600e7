#!lua
-- Keep counting a member of a window under another name, so that the member can be counted again.
--
-- KEYS[1]  what the window counts  sorted set: member by unix milliseconds
-- ARGV[1]  member
--
-- Returns 1, or 0 if it is not counted.

local time = redis.call('ZSCORE', KEYS[1], ARGV[1])
if not time then
  return 0
end
redis.call('ZREM', KEYS[1], ARGV[1])
redis.call('ZADD', KEYS[1], time, ARGV[1] .. ' ' .. time)
return 1
