<?php

declare(strict_types=1);

namespace Import;

use InvalidArgumentException;
use PDO;
use RuntimeException;
use Throwable;

/** Imports product prices from a CSV file into the database. */
final class CsvImporter
{
    private const MAX_ROWS = 5000;
    private const MAX_NAME_LENGTH = 80;
    private const PRICE_TOLERANCE = 0.005;

    /** Column headings we accept, and the field each one stands for. */
    private const HEADINGS = [
        'sku' => 'sku',
        'article' => 'sku',
        'name' => 'name',
        'price' => 'price',
    ];

    public function __construct(private readonly PDO $db) {}

    /** Imports the file in one transaction and returns how many prices changed. */
    public function import(string $path, string $separator = ','): int
    {
        $rows = $this->read($path, $separator);
        $changed = 0;
        $this->db->beginTransaction();
        try {
            foreach ($rows as $row) {
                $price = self::parsePrice($row['price']);
                $current = $this->currentPrice($row['sku']);
                if ($current !== null && abs($current - $price) < self::PRICE_TOLERANCE) {
                    continue;
                }
                $this->store($row['sku'], mb_substr($row['name'], 0, self::MAX_NAME_LENGTH), $price);
                $changed++;
            }
            $this->db->commit();
        } catch (Throwable $error) {
            $this->db->rollBack();
            throw new RuntimeException("Import of $path failed", 0, $error);
        }
        return $changed;
    }

    /** Turns "1 234.50" into a number; refuses anything below zero. */
    public static function parsePrice(string $text): float
    {
        $plain = str_replace(' ', '', $text);
        if (!is_numeric($plain) || (float) $plain < 0) {
            throw new InvalidArgumentException("Not a price: $text");
        }
        return round((float) $plain, 2);
    }

    /** @return list<array{sku: string, name: string, price: string}> */
    private function read(string $path, string $separator): array
    {
        $file = is_file($path) ? fopen($path, 'rb') : false;
        if ($file === false) {
            throw new RuntimeException("Cannot open $path");
        }
        try {
            $fields = [];
            foreach (fgetcsv($file, null, $separator, '"', '') ?: [] as $index => $heading) {
                $field = self::HEADINGS[strtolower(trim((string) $heading))] ?? null;
                if ($field !== null) {
                    $fields[$field] = $index;
                }
            }
            if (count($fields) < 3) {
                throw new RuntimeException("A column is missing in $path");
            }
            $rows = [];
            while (($cells = fgetcsv($file, null, $separator, '"', '')) !== false) {
                if (count($cells) <= max($fields)) {
                    continue;
                }
                if (count($rows) >= self::MAX_ROWS) {
                    throw new RuntimeException("More than " . self::MAX_ROWS . " rows in $path");
                }
                $rows[] = array_map(static fn (int $index): string => trim((string) $cells[$index]), $fields);
            }
            return $rows;
        } finally {
            fclose($file);
        }
    }

    private function currentPrice(string $sku): ?float
    {
        $query = $this->db->prepare('SELECT price FROM products WHERE sku = :sku');
        $query->execute(['sku' => $sku]);
        $price = $query->fetchColumn();
        return $price === false ? null : (float) $price;
    }

    private function store(string $sku, string $name, float $price): void
    {
        $this->db->prepare('REPLACE INTO products (sku, name, price) VALUES (:sku, :name, :price)')
            ->execute(['sku' => $sku, 'name' => $name, 'price' => $price]);
    }
}
