#!lua
-- Note which table a repeatable request is about to be matched to.
--
-- KEYS[1]  the note       string: 8 random bytes, game id, version that the commit leads to
-- ARGV[1]  expected note  as read before; empty for none
-- ARGV[2]  the new note
-- ARGV[3]  time to live   milliseconds, decimal
--
-- Returns 1, or 0 if another process has changed the note.

local current = redis.call('GET', KEYS[1]) or ''
if current ~= ARGV[1] and current ~= ARGV[2] then
  return 0
end
redis.call('SET', KEYS[1], ARGV[2], 'PX', ARGV[3])
return 1
