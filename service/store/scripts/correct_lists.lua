#!lua
-- Correct entries that do not fit their games, unless they have changed since they were read.
--
-- KEYS     the lists         sorted sets: game id (16 bytes) by unix milliseconds; one per entry
-- ARGV[1]  game id           16 bytes
-- ARGV[2]  its time          as it was read, unix milliseconds, decimal
-- ARGV[3]  the right time    empty if the game does not belong there; the other entries follow
--
-- Returns how many were corrected.

local corrected = 0
for i, key in ipairs(KEYS) do
  local id, time, right = ARGV[3 * i - 2], ARGV[3 * i - 1], ARGV[3 * i]
  local now = redis.call('ZSCORE', key, id)
  if now and tonumber(now) == tonumber(time) then
    if right == '' then
      redis.call('ZREM', key, id)
    else
      redis.call('ZADD', key, right, id)
    end
    corrected = corrected + 1
  end
end
return corrected
