#!lua
-- Remove a table from the lobby that is not open, unless a commit may still open it.
--
-- KEYS     as in lobby_functions.lua
-- ARGV[1]  game id          16 bytes
-- ARGV[2]  loaded version   decimal; 0 if there is no such game
-- ARGV[3]  how long a commit may take after it was announced, milliseconds, decimal
--
-- Of a game that does not exist only the commit that creates it can succeed.
-- Returns 1, or 0 if the table stays.

local loaded = tonumber(ARGV[2])
local version, seen, _, state = table_of(ARGV[1])
if version and version > loaded and now - seen <= tonumber(ARGV[3]) then
  if loaded > 0 or state == 'opening' then
    return 0
  end
end
remove(ARGV[1])
return 1
