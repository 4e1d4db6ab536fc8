using System;
using System.Collections.Generic;
using System.Data.Common;
using System.Threading;
using System.Threading.Tasks;

namespace Schedule;

/// <summary>One booking of a room; the end is not part of it.</summary>
public sealed record Booking(string Room, DateTime Start, DateTime End);

/// <summary>Raised when the bookings cannot be read.</summary>
public sealed class CalendarException(string message, Exception inner) : Exception(message, inner);

/// <summary>Books rooms so that no two bookings of a room overlap.</summary>
public sealed class BookingCalendar
{
    private static readonly TimeSpan MaxDuration = TimeSpan.FromHours(12);

    private static readonly Dictionary<string, int> Seats = new()
    {
        ["aquarium"] = 4,
        ["library"] = 8,
        ["workshop"] = 16,
        ["auditorium"] = 120,
    };

    private readonly SemaphoreSlim _gate = new(1, 1);
    private readonly List<Booking> _bookings = new();

    /// <summary>Tells whether two bookings share any moment in one room.</summary>
    public static bool Overlaps(Booking left, Booking right) =>
        left.Room == right.Room && left.Start < right.End && right.Start < left.End;

    /// <summary>Returns how long a room stays closed for cleaning after a booking.</summary>
    public static TimeSpan CleaningTime(DayOfWeek day) => day switch
    {
        DayOfWeek.Saturday or DayOfWeek.Sunday => TimeSpan.FromMinutes(60),
        DayOfWeek.Friday => TimeSpan.FromMinutes(30),
        _ => TimeSpan.FromMinutes(15),
    };

    /// <summary>Replaces all bookings by those stored from a day on.</summary>
    public async Task<int> LoadAsync(DbConnection connection, DateTime from, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(connection);
        var loaded = new List<Booking>();
        try
        {
            await using var command = connection.CreateCommand();
            command.CommandText = "SELECT room, starts, ends FROM bookings WHERE ends > @from";
            var parameter = command.CreateParameter();
            parameter.ParameterName = "@from";
            parameter.Value = from;
            command.Parameters.Add(parameter);
            await using var reader = await command.ExecuteReaderAsync(token);
            while (await reader.ReadAsync(token))
            {
                loaded.Add(new Booking(reader.GetString(0), reader.GetDateTime(1), reader.GetDateTime(2)));
            }
        }
        catch (DbException error)
        {
            throw new CalendarException("The bookings could not be read.", error);
        }

        await _gate.WaitAsync(token);
        try
        {
            _bookings.Clear();
            _bookings.AddRange(loaded);
            return loaded.Count;
        }
        finally
        {
            _gate.Release();
        }
    }

    /// <summary>Adds a booking unless the room is unknown, too small or taken.</summary>
    public async Task<bool> TryBookAsync(Booking booking, int people, CancellationToken token)
    {
        ArgumentNullException.ThrowIfNull(booking);
        if (booking.End <= booking.Start || booking.End - booking.Start > MaxDuration)
        {
            throw new ArgumentException("The booking is empty or too long.", nameof(booking));
        }
        if (!Seats.TryGetValue(booking.Room, out var seats) || people < 1 || people > seats)
        {
            return false;
        }
        await _gate.WaitAsync(token);
        try
        {
            if (_bookings.Exists(other => Overlaps(WithCleaning(other), WithCleaning(booking))))
            {
                return false;
            }
            _bookings.Add(booking);
            return true;
        }
        finally
        {
            _gate.Release();
        }
    }

    private static Booking WithCleaning(Booking booking) =>
        booking with { End = booking.End + CleaningTime(booking.End.DayOfWeek) };
}
