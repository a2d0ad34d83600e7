#!lua
-- Find the oldest table for somebody who wants to play or, if there is none, let them open one.
--
-- KEYS     as in lobby_functions.lua
-- ARGV[1]  own game id      16 bytes: the table to open
-- ARGV[2]  for whom         the turn time
-- ARGV[3]  version          that opening it leads to, decimal
-- ARGV[4]  time to live     as in lobby_add.lua
-- ARGV[5]  how long a table stays although nobody was seen at it, milliseconds, decimal
-- ARGV[6]  a game id to pass over; others follow
--
-- The script is what keeps two people from opening a table each: from here on everybody else finds
-- the table that is being opened. If it is not committed in time, somebody drops it.
-- Returns {game id, time in unix milliseconds}; the id is the own one if that table is to be opened,
-- and empty if so many tables had to be removed that the search has to go on in another run.

local AT_ONCE = 16

local own, turn = ARGV[1], ARGV[2]

local passed = {[own] = true}
for i = 6, #ARGV do
  passed[ARGV[i]] = true
end

local kept, steps = 0, 0
while true do
  local members = redis.call('ZRANGE', KEYS[3], '[' .. turn .. ' ', '(' .. turn .. '!', 'BYLEX',
    'LIMIT', kept, AT_ONCE)
  if #members == 0 then
    break
  end
  for _, member in ipairs(members) do
    local id = string.sub(member, -16)
    local _, seen, whose = table_of(id)
    if whose ~= turn then
      redis.call('ZREM', KEYS[3], member)
    elseif now - seen > tonumber(ARGV[5]) then
      remove(id)
      redis.call('ZREM', KEYS[3], member)
    elseif passed[id] then
      kept = kept + 1
    else
      return {id, now}
    end
  end
  steps = steps + #members
  if steps >= MOST_STEPS then
    return {'', now}
  end
end

enter(own, ARGV[3], turn, 'opening', now, ARGV[4])
return {own, now}
