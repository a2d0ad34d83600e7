#!lua
-- Find the oldest table for somebody who wants to play or, if there is none, let them open one.
--
-- KEYS[1]  the tables       hash, as in lobby_add.lua
-- KEYS[2]  all of them      sorted set: game id by when it was created (unix ms)
-- KEYS[3]  those to match   the same, of the tables with the same turn time
-- ARGV[1]  own game id      16 bytes: the table to open
-- ARGV[2]  for whom         the turn time
-- ARGV[3]  version          that opening it leads to, decimal
-- ARGV[4]  time to live     as in lobby_add.lua
-- ARGV[5]  how long a table stays although nobody was seen at it, milliseconds, decimal
-- ARGV[6]  a game id to pass over; others follow
--
-- The script is what keeps two people from opening a table each: from here on everybody else finds
-- the table that is being opened. If it is not committed in time, somebody drops it.
-- Returns {game id, time in unix milliseconds}; the id is the own one if that table is to be opened.

local AT_ONCE = 16

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local own, turn = ARGV[1], ARGV[2]

local passed = {}
for i = 6, #ARGV do
  passed[ARGV[i]] = true
end

local kept = 0
while true do
  local ids = redis.call('ZRANGE', KEYS[3], kept, kept + AT_ONCE - 1)
  if #ids == 0 then
    break
  end
  for _, id in ipairs(ids) do
    local seen, whose = string.match(redis.call('HGET', KEYS[1], id) or '', '^%d+ (%d+) (%S+)$')
    if whose ~= turn then
      redis.call('ZREM', KEYS[3], id)
    elseif now - seen > tonumber(ARGV[5]) then
      redis.call('HDEL', KEYS[1], id)
      redis.call('ZREM', KEYS[2], id)
      redis.call('ZREM', KEYS[3], id)
    elseif passed[id] then
      kept = kept + 1
    elseif id ~= own then
      return {id, now}
    else
      kept = kept + 1
    end
  end
end

redis.call('HSET', KEYS[1], own, string.format('%s %.0f %s', ARGV[3], now, turn))
redis.call('ZADD', KEYS[2], now, own)
redis.call('ZADD', KEYS[3], now, own)
for _, key in ipairs(KEYS) do
  redis.call('PEXPIRE', key, ARGV[4])
end
return {own, now}
