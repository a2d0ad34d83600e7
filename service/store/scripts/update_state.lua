#!lua
-- Write a state that changes without an event, if the game has not changed since it was loaded.
--
-- KEYS[1]  the state        string
-- KEYS[2]  the log          list
-- KEYS[3]  the entries      hash: idempotency key to entry
-- ARGV[1]  expected stamp   of the state
-- ARGV[2]  the state        stamp, checksum, state
-- ARGV[3]  game channel     watchers must check whether their tokens are still valid
-- ARGV[4]  idempotency key  empty, like its entry, if the request has none
-- ARGV[5]  its entry        as in commit.lua
-- ARGV[6]  the most entries of a game, decimal
--
-- Returns -1 if it is written, -2 if there is no room for the entry, else the version of the game
-- (0: no such game).

local NONCE = 8
local STAMP = 16

if redis.call('EXISTS', KEYS[1], KEYS[2], KEYS[3]) < 3 then
  return 0
end
local version = redis.call('LLEN', KEYS[2])
local stamp = redis.call('GETRANGE', KEYS[1], 0, STAMP - 1)
if string.sub(stamp, NONCE + 1) == string.sub(ARGV[2], NONCE + 1, STAMP) then
  -- Sent again after a lost answer. Writes something unchanged, because WAIT covers only what this
  -- connection has written.
  redis.call('LSET', KEYS[2], -1, redis.call('LINDEX', KEYS[2], -1))
  return -1
end
if stamp ~= ARGV[1] then
  return version
end

if ARGV[4] ~= '' and not save_entry(KEYS[3], ARGV[4], ARGV[5], ARGV[6]) then
  return -2
end
redis.call('SET', KEYS[1], ARGV[2], 'KEEPTTL')
redis.call('SPUBLISH', ARGV[3], version)
return -1
