// Package jobs runs queued work in order of priority, with retries.
package jobs

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"sort"
	"sync"
	"time"
)

const (
	maxPending, maxAttempts = 1000, 5
	maxDelay                = 30 * time.Second
)

// ErrFull is returned when the queue takes no more jobs.
var ErrFull = errors.New("jobs: queue is full")

// priorities orders the kinds of job; a higher number runs sooner.
var priorities = map[string]int{
	"payment": 30,
	"email":   20,
	"report":  10,
	"cleanup": 0,
}

// Job is one piece of work.
type Job struct {
	ID      int64
	Kind    string
	Payload []byte
}

// Queue holds the jobs that wait to be run.
type Queue struct {
	mu      sync.Mutex
	pending []Job
}

// Push adds a job. The payload is copied, so the caller may reuse its buffer.
func (q *Queue) Push(job Job) error {
	if _, ok := priorities[job.Kind]; !ok {
		return fmt.Errorf("jobs: unknown kind %q", job.Kind)
	}
	job.Payload = append([]byte(nil), job.Payload...)
	q.mu.Lock()
	defer q.mu.Unlock()
	if len(q.pending) >= maxPending {
		return ErrFull
	}
	q.pending = append(q.pending, job)
	sort.SliceStable(q.pending, func(i, j int) bool {
		return priorities[q.pending[i].Kind] > priorities[q.pending[j].Kind]
	})
	return nil
}

// Take removes and returns up to n jobs, the most urgent first.
func (q *Queue) Take(n int) []Job {
	q.mu.Lock()
	defer q.mu.Unlock()
	n = max(0, min(n, len(q.pending)))
	batch := make([]Job, n)
	copy(batch, q.pending[:n])
	q.pending = q.pending[n:]
	return batch
}

// Load pushes the stored jobs of one tenant and returns how many there were.
func (q *Queue) Load(ctx context.Context, db *sql.DB, tenant string) (int, error) {
	rows, err := db.QueryContext(ctx, "SELECT id, kind, payload FROM jobs WHERE tenant = $1", tenant)
	if err != nil {
		return 0, fmt.Errorf("jobs: query: %w", err)
	}
	defer rows.Close()
	count := 0
	for rows.Next() {
		var job Job
		if err := rows.Scan(&job.ID, &job.Kind, &job.Payload); err != nil {
			return count, fmt.Errorf("jobs: scan: %w", err)
		}
		if err := q.Push(job); err != nil {
			return count, fmt.Errorf("jobs: push job %d: %w", job.ID, err)
		}
		count++
	}
	return count, rows.Err()
}

// Run calls work until it succeeds, waiting twice as long after each failure.
func Run(ctx context.Context, job Job, work func(context.Context, Job) error) error {
	for attempt, delay := 1, 100*time.Millisecond; ; attempt++ {
		err := work(ctx, job)
		if err == nil {
			return nil
		}
		if attempt >= maxAttempts {
			return fmt.Errorf("jobs: job %d failed %d times: %w", job.ID, attempt, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(delay):
			delay = min(delay*2, maxDelay)
		}
	}
}
