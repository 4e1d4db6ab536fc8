# frozen_string_literal: true

require 'json'

# A thread-safe cache that forgets the least recently used entries first
# and reads what it does not hold from a database.
class LruCache
  # Raised when an entry can be neither found nor loaded.
  class LoadError < StandardError; end

  MAX_CAPACITY = 10_000
  MAX_KEY_LENGTH = 250

  # Seconds an entry stays fresh, by the kind of data it holds.
  FRESHNESS = {
    price: 30,
    stock: 5,
    article: 600,
    image: 86_400
  }.freeze

  Entry = Struct.new(:value, :expires_at)

  # @param database [#execute] runs SQL with bound values and returns rows
  def initialize(capacity, database, clock: -> { Process.clock_gettime(Process::CLOCK_MONOTONIC) })
    unless capacity.between?(1, MAX_CAPACITY)
      raise ArgumentError, "capacity out of range: #{capacity}"
    end

    @capacity = capacity
    @database = database
    @clock = clock
    @entries = {}
    @mutex = Mutex.new
  end

  # Returns the value under the key, or nil when it is missing or stale.
  def get(key)
    @mutex.synchronize do
      entry = @entries.delete(key)
      return nil if entry.nil? || entry.expires_at <= @clock.call

      # A Hash keeps insertion order, so this makes the entry the newest.
      @entries[key] = entry
      entry.value.dup
    end
  end

  # Stores a value of the given kind, evicting the oldest entries if needed.
  def put(key, value, kind)
    raise ArgumentError, 'key is empty or too long' if key.empty? || key.length > MAX_KEY_LENGTH

    lifetime = FRESHNESS.fetch(kind, 60)
    @mutex.synchronize do
      @entries.delete(key)
      @entries[key] = Entry.new(value.dup, @clock.call + lifetime)
      @entries.shift while @entries.size > @capacity
    end
    value
  end

  # Returns the cached document, or loads it and keeps it under "kind/key".
  def fetch(key, kind)
    cache_key = "#{kind}/#{key}"
    cached = get(cache_key)
    return cached unless cached.nil?

    rows = @database.execute('SELECT body FROM documents WHERE name = ? AND kind = ?', [key, kind.to_s])
    raise LoadError, "no #{kind} named #{key}" if rows.empty?

    put(cache_key, decode(rows.first['body'], kind), kind)
  end

  # Returns up to `count` keys, the most recently used first.
  def recent_keys(count)
    @mutex.synchronize { @entries.keys.last([count, 0].max).reverse }
  end

  # Writes the keys to a file, one per line, and returns their number.
  def dump_keys(path)
    keys = @mutex.synchronize { @entries.keys }
    File.open(path, 'w') do |file|
      keys.each_with_index { |key, index| file.puts("#{index + 1} #{key}") }
    end
    keys.size
  end

  private

  def decode(body, kind)
    case kind
    when :price then Float(body).round(2)
    when :stock then Integer(body, 10)
    when :article then JSON.parse(body)
    else body
    end
  rescue JSON::ParserError, ArgumentError => e
    raise LoadError, "a stored #{kind} is damaged: #{e.message}"
  end
end
