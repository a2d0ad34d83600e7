#!lua flags=allow-oom
-- Remove a game and tell those who watch it. Allowed on a full server: it makes room.
--
-- KEYS[1]  the state      string
-- KEYS[2]  the log        list
-- KEYS[3]  the retries    hash
-- ARGV[1]  news channel
--
-- Returns 1 if there was a game, else 0.

if redis.call('DEL', KEYS[1], KEYS[2], KEYS[3]) == 0 then
  return 0
end
redis.call('SPUBLISH', ARGV[1], 'deleted')
return 1
