package io.kvmesh.quickstart.replay;

/**
 * What a replay came to. {@code local}, {@code peer} and {@code miss} are chunks and add up to
 * {@code chunks}.
 *
 * @param requests replayed to their end
 * @param chunks asked for
 * @param local found in the asked worker's own cache
 * @param peer pulled from another worker
 * @param miss found nowhere near enough, so computed and stored
 * @param notStored computed or pulled, but nothing could be evicted for them
 * @param evictions of all workers during the replay
 * @param resident chunks in all workers at the end
 * @param bytesPulled bodies that came from other workers
 * @param bodiesChecked bodies compared with what they must be, byte for byte
 * @param lookup how long a worker took to say what of a prompt is local and what the fleet has
 * @param pull retrieves that brought chunks from another worker, bodies included
 * @param eventLag from the reply to a change until the controller's view had it
 * @param wallNanos the whole replay
 */
public record Outcome(
    long requests,
    long chunks,
    long local,
    long peer,
    long miss,
    long notStored,
    long evictions,
    long resident,
    long bytesPulled,
    long bodiesChecked,
    Latency lookup,
    Latency pull,
    Latency eventLag,
    long wallNanos) {}
