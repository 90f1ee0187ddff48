package io.kvmesh.quickstart.model;

/** The counts of a whole replay, in chunks but for {@code requests}. */
public record Expected(
    long requests,
    long local,
    long peer,
    long miss,
    long notStored,
    long evictions,
    long resident) {}
