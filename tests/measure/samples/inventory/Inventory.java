package inventory;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.Lock;
import java.util.concurrent.locks.ReentrantLock;
import javax.sql.DataSource;

/** Counts of goods on the shelf, loaded from a database and changed in memory. */
public final class Inventory {
    private static final int MAX_QUANTITY = 10_000;
    private static final int MAX_JOURNAL = 500;

    /** Days after which an untouched pallet is counted again, by storage class. */
    private static final Map<String, Integer> RECOUNT_DAYS = Map.of(
            "frozen", 7,
            "chilled", 14,
            "ambient", 90,
            "hazardous", 30);

    private final Lock lock = new ReentrantLock();
    private final Map<String, Integer> stock = new HashMap<>();
    private final List<String> journal = new ArrayList<>();

    /** Replaces the counts of one warehouse by those in the database. */
    public int load(DataSource source, String warehouse) throws InventoryException {
        String sql = "SELECT sku, quantity FROM stock WHERE warehouse = ? AND quantity > ?";
        Map<String, Integer> loaded = new HashMap<>();
        try (Connection connection = source.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, warehouse);
            statement.setInt(2, 0);
            try (ResultSet rows = statement.executeQuery()) {
                while (rows.next()) {
                    loaded.merge(rows.getString("sku"), rows.getInt("quantity"), Integer::sum);
                }
            }
        } catch (SQLException e) {
            throw new InventoryException("could not load warehouse " + warehouse, e);
        }
        lock.lock();
        try {
            stock.clear();
            stock.putAll(loaded);
        } finally {
            lock.unlock();
        }
        return loaded.size();
    }

    /** Takes up to {@code wanted} pieces off the shelf and returns how many there were. */
    public int pick(String sku, int wanted) {
        if (sku == null || sku.isEmpty()) {
            throw new IllegalArgumentException("sku is missing");
        }
        if (wanted < 1 || wanted > MAX_QUANTITY) {
            throw new IllegalArgumentException("quantity out of range: " + wanted);
        }
        lock.lock();
        try {
            Integer available = stock.get(sku);
            if (available == null || available == 0) {
                return 0;
            }
            int picked = Math.min(available, wanted);
            stock.put(sku, available - picked);
            journal.add(sku + " -" + picked);
            if (journal.size() > MAX_JOURNAL) {
                journal.remove(0);
            }
            return picked;
        } finally {
            lock.unlock();
        }
    }

    /** Returns the last {@code count} journal lines, oldest first, as a copy. */
    public List<String> recent(int count) {
        lock.lock();
        try {
            int from = Math.max(0, journal.size() - Math.max(0, count));
            return new ArrayList<>(journal.subList(from, journal.size()));
        } finally {
            lock.unlock();
        }
    }

    /** Tells whether a pallet of this class must be counted again. */
    public static boolean recountDue(String storageClass, long lastDay, long today) {
        int days = RECOUNT_DAYS.getOrDefault(storageClass, 60);
        return today - lastDay >= days;
    }

    /** Raised when the stock cannot be read. */
    public static final class InventoryException extends Exception {
        private static final long serialVersionUID = 1L;

        InventoryException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
