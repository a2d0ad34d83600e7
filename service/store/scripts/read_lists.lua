#!lua flags=no-writes
-- Read the newest entries of several lists, from a position downwards.
--
-- KEYS     the lists          sorted sets: game id (16 bytes) by unix milliseconds
-- ARGV[1]  at most            entries of each list
-- ARGV[2]  time of the position, unix milliseconds, decimal; empty for the newest entry
-- ARGV[3]  game id of the position: entries of the same time follow if their id is smaller
--
-- Returns for each list its entries: id, time, id, time, newest first.

local most = tonumber(ARGV[1])
local highest = ARGV[2] == '' and '+inf' or ARGV[2]

local function entries_of(key)
  local found, offset = {}, 0
  while #found < 2 * most do
    local read = redis.call('ZRANGE', key, highest, '-inf', 'BYSCORE', 'REV',
      'LIMIT', offset, most, 'WITHSCORES')
    for i = 1, #read, 2 do
      local passed = tonumber(read[i + 1]) == tonumber(ARGV[2]) and read[i] >= ARGV[3]
      if not passed and #found < 2 * most then
        found[#found + 1] = read[i]
        found[#found + 1] = read[i + 1]
      end
    end
    if #read < 2 * most then
      break
    end
    offset = offset + most
  end
  return found
end

local lists = {}
for i, key in ipairs(KEYS) do
  lists[i] = entries_of(key)
end
return lists
