#!lua
-- Hold a join code for a game, unless another game has it.
--
-- KEYS[1]  the code  string: the id of the game
-- ARGV[1]  game id
-- ARGV[2]  for how long, in milliseconds
--
-- Returns 1, or 0 if another game has the code.

local held = redis.call('GET', KEYS[1])
if held and held ~= ARGV[1] then
  -- Written again, because WAIT covers only what this connection has written.
  redis.call('SET', KEYS[1], held, 'KEEPTTL')
  return 0
end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
return 1
