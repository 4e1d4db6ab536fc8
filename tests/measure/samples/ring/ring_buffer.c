/* A byte ring buffer shared by one or more producers and consumers. */

#include <errno.h>
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#define RING_MAX_CAPACITY (1u << 20)

enum ring_status { RING_OK, RING_FULL, RING_EMPTY, RING_INVALID };

struct ring {
    pthread_mutex_t mutex;
    size_t capacity;
    size_t head; /* where the next byte is read */
    size_t count;
    uint8_t *bytes;
};

/* Creates a ring of the given capacity; NULL with errno set on failure. */
struct ring *ring_create(size_t capacity)
{
    if (capacity == 0 || capacity > RING_MAX_CAPACITY) {
        errno = EINVAL;
        return NULL;
    }
    struct ring *ring = calloc(1, sizeof *ring);
    if (ring == NULL)
        return NULL;
    ring->bytes = malloc(capacity);
    if (ring->bytes == NULL) {
        free(ring);
        return NULL;
    }
    int error = pthread_mutex_init(&ring->mutex, NULL);
    if (error != 0) {
        free(ring->bytes);
        free(ring);
        errno = error;
        return NULL;
    }
    ring->capacity = capacity;
    return ring;
}

/* Releases a ring that no thread uses any more; NULL is ignored. */
void ring_destroy(struct ring *ring)
{
    if (ring == NULL)
        return;
    pthread_mutex_destroy(&ring->mutex);
    free(ring->bytes);
    free(ring);
}

/* Appends all `length` bytes of `data`, or none when they do not fit. */
enum ring_status ring_push(struct ring *ring, const uint8_t *data, size_t length)
{
    if (ring == NULL || data == NULL || length == 0)
        return RING_INVALID;
    enum ring_status status = RING_FULL;
    pthread_mutex_lock(&ring->mutex);
    if (length <= ring->capacity - ring->count) {
        size_t tail = (ring->head + ring->count) % ring->capacity;
        for (size_t i = 0; i < length; i++)
            ring->bytes[(tail + i) % ring->capacity] = data[i];
        ring->count += length;
        status = RING_OK;
    }
    pthread_mutex_unlock(&ring->mutex);
    return status;
}

/* Moves up to `room` bytes into `out` and stores their number in `taken`. */
enum ring_status ring_pop(struct ring *ring, uint8_t *out, size_t room, size_t *taken)
{
    if (ring == NULL || out == NULL || taken == NULL || room == 0)
        return RING_INVALID;
    pthread_mutex_lock(&ring->mutex);
    size_t length = room < ring->count ? room : ring->count;
    size_t first = ring->capacity - ring->head;
    if (first > length)
        first = length;
    memcpy(out, ring->bytes + ring->head, first);
    memcpy(out + first, ring->bytes, length - first);
    ring->head = (ring->head + length) % ring->capacity;
    ring->count -= length;
    pthread_mutex_unlock(&ring->mutex);
    *taken = length;
    return length > 0 ? RING_OK : RING_EMPTY;
}

/* Returns a short English text for a status. */
const char *ring_status_text(enum ring_status status)
{
    switch (status) {
    case RING_OK:
        return "ok";
    case RING_FULL:
        return "the ring is full";
    case RING_EMPTY:
        return "the ring is empty";
    default:
        return "invalid argument";
    }
}
