#!lua
-- Write how often a game's tokens were renewed, if that is still as the writer believes.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the log        list
-- KEYS[3]  the renewals   string
-- KEYS[4]  the retries    hash
-- ARGV[1]  the renewals as they were, without their nonce; empty if there were none
-- ARGV[2]  nonce and renewals
-- ARGV[3]  news channel   whoever watches has to see whether its token still counts
-- ARGV[4]  retry key      both absent if the request had no key
-- ARGV[5]  its entry      as in commit.lua
--
-- Returns -1 if they are written, else the version that the game has (0: no such game).

local NONCE = 8

local version = redis.call('LLEN', KEYS[2])
local left = redis.call('PTTL', KEYS[1])
local there = redis.call('GET', KEYS[3]) or ''
if there == ARGV[2] then
  -- Sent again after a lost answer. Written again, which changes nothing, since a server waits
  -- only for replicas of what this connection wrote.
  redis.call('SET', KEYS[3], there, 'KEEPTTL')
  return -1
end
if left == -2 or string.sub(there, NONCE + 1) ~= ARGV[1] then
  return version
end

redis.call('SET', KEYS[3], ARGV[2])
if ARGV[4] then
  redis.call('HSET', KEYS[4], ARGV[4], ARGV[5])
end
if left >= 0 then
  redis.call('PEXPIRE', KEYS[3], left)
  redis.call('PEXPIRE', KEYS[4], left)
end
redis.call('SPUBLISH', ARGV[3], version)
return -1
