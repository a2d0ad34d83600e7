#!lua
-- Add an open table to the lobby, just before the commit that opens it, or because somebody at it
-- was seen.
--
-- KEYS     as in lobby_functions.lua
-- ARGV[1]  game id          16 bytes
-- ARGV[2]  created          unix milliseconds, decimal
-- ARGV[3]  version          that the commit leads to, decimal
-- ARGV[4]  for whom         the turn time of those who may be seated here, or `-`
-- ARGV[5]  state            `opening` if the commit creates the game, else `open`
-- ARGV[6]  time to live     of the lobby if nothing more happens in it, milliseconds, decimal
-- ARGV[7]  how long a table stays although nobody was seen at it, milliseconds, decimal
--
-- Returns the time in unix milliseconds by this server's clock.

local SWEPT = 4

-- More are removed than are added, so the tables that nobody is at do not pile up.
for _, id in ipairs(redis.call('ZRANGE', KEYS[2], 0, SWEPT - 1)) do
  local _, seen = table_of(id)
  if not seen or now - seen > tonumber(ARGV[7]) then
    remove(id)
  end
end

local version = math.max(table_of(ARGV[1]) or 0, tonumber(ARGV[3]))
enter(ARGV[1], version, ARGV[4], ARGV[5], tonumber(ARGV[2]), ARGV[6])
return now
