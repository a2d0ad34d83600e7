#!lua
-- Read the newest tables of a lobby, from a position downwards, and remove those that nobody is at.
--
-- KEYS     as in lobby_functions.lua
-- ARGV[1]  at most          decimal
-- ARGV[2]  time of the position, unix milliseconds, decimal; empty for the newest table
-- ARGV[3]  game id of the position: tables of the same time follow if their id is smaller
-- ARGV[4]  how long a table stays although nobody was seen at it, milliseconds, decimal
--
-- Returns {{id, created, id, created, …}, {id, created}}: the tables, newest first, and the position
-- from which to read on, which is empty if no tables follow.

local most = tonumber(ARGV[1])
local highest = ARGV[2] == '' and '+inf' or ARGV[2]

local found, gone, reached = {}, {}, {}
local offset, steps, ended = 0, 0, false
repeat
  local read = redis.call('ZRANGE', KEYS[2], highest, '-inf', 'BYSCORE', 'REV',
    'LIMIT', offset, most, 'WITHSCORES')
  for i = 1, #read, 2 do
    local id, created = read[i], read[i + 1]
    local before = tonumber(created) == tonumber(ARGV[2]) and id >= ARGV[3]
    if not before and #found < 2 * most then
      local _, seen = table_of(id)
      if not seen or now - seen > tonumber(ARGV[4]) then
        gone[#gone + 1] = id
      else
        found[#found + 1] = id
        found[#found + 1] = created
      end
      reached = {id, created}
      steps = steps + 1
    end
  end
  offset = offset + most
  ended = #read < 2 * most and #found < 2 * most
until ended or #found == 2 * most or steps >= MOST_STEPS
for _, id in ipairs(gone) do
  remove(id)
end
return {found, ended and {} or reached}
