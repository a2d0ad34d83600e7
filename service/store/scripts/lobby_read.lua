#!lua
-- Read the newest tables of a lobby, from a position downwards, and remove those that nobody is at.
--
-- KEYS[1]  the tables       hash, as in lobby_add.lua
-- KEYS[2]  all of them      sorted set: game id by when it was created (unix ms)
-- ARGV[1]  at most          decimal
-- ARGV[2]  time of the position, unix milliseconds, decimal; empty for the newest table
-- ARGV[3]  game id of the position: tables of the same time follow if their id is smaller
-- ARGV[4]  how long a table stays although nobody was seen at it, milliseconds, decimal
--
-- Returns id, created, id, created, newest first.

local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local most = tonumber(ARGV[1])
local highest = ARGV[2] == '' and '+inf' or ARGV[2]

local found, gone, offset = {}, {}, 0
while #found < 2 * most do
  local read = redis.call('ZRANGE', KEYS[2], highest, '-inf', 'BYSCORE', 'REV',
    'LIMIT', offset, most, 'WITHSCORES')
  for i = 1, #read, 2 do
    local seen = string.match(redis.call('HGET', KEYS[1], read[i]) or '', '^%d+ (%d+)')
    local passed = tonumber(read[i + 1]) == tonumber(ARGV[2]) and read[i] >= ARGV[3]
    if not seen or now - seen > tonumber(ARGV[4]) then
      gone[#gone + 1] = read[i]
    elseif not passed and #found < 2 * most then
      found[#found + 1] = read[i]
      found[#found + 1] = read[i + 1]
    end
  end
  if #read < 2 * most then
    break
  end
  offset = offset + most
end
for _, id in ipairs(gone) do
  redis.call('HDEL', KEYS[1], id)
  redis.call('ZREM', KEYS[2], id)
end
return found
