#!lua
-- Save the entry of a request that has no event of its own, while there is room.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the log        list
-- KEYS[3]  the entries    hash: idempotency key to entry
-- ARGV[1]  idempotency key
-- ARGV[2]  its entry      as in commit.lua
-- ARGV[3]  the most entries of a game, decimal
--
-- Returns 1, or 0 if there is no such game.

if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) < 3 then
  return 0
end
if not redis.call('HGET', KEYS[3], ARGV[1]) then
  save_entry(KEYS[3], ARGV[1], ARGV[2], ARGV[3])
end
return 1
