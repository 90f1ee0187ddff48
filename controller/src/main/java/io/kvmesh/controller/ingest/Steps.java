package io.kvmesh.controller.ingest;

import com.google.errorprone.annotations.FormatMethod;
import com.google.errorprone.annotations.FormatString;
import io.kvmesh.common.key.Keyspace;
import io.kvmesh.controller.index.ChangeStep;
import io.kvmesh.controller.trail.TrailEvent.Kind;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/** The steps and checks of one record, while they are being made. */
final class Steps {

  private static final int MOST_NOTES = 8;

  private final List<ChangeStep> steps = new ArrayList<>(2);
  private final List<Decision.Check> checks = new ArrayList<>(1);
  private List<Decision.Note> notes = List.of();
  private boolean listed;

  void add(ChangeStep step) {
    steps.add(step);
  }

  /** After the step added last, the location must hold this. */
  void check(LocationStream location, long sequence, long count, long digest) {
    checks.add(new Decision.Check(steps.size() - 1, location, sequence, count, digest));
  }

  /** The worker has listed all that it holds, and can't say more of it. */
  void listed() {
    listed = true;
  }

  boolean isListed() {
    return listed;
  }

  /** People would want to know of it. */
  @FormatMethod
  void note(Kind kind, String location, @FormatString String text, Object... details) {
    if (notes.isEmpty()) {
      notes = new ArrayList<>();
    }
    // A record may have as many gaps as operations.
    if (notes.size() < MOST_NOTES) {
      notes.add(new Decision.Note(kind, location, text.formatted(details)));
    }
  }

  List<ChangeStep> steps() {
    return steps;
  }

  List<Decision.Check> checks() {
    return checks;
  }

  List<Decision.Note> notes() {
    return notes;
  }

  /** Operations that follow each other in a record; a step is cut off whenever one is needed. */
  static final class Run {

    private final Steps steps;
    private final String location;
    private final Keyspace keyspace;
    private final long[] hashBits;
    private final boolean[] admits;
    private int size;

    Run(Steps steps, String location, Keyspace keyspace, int capacity) {
      this.steps = steps;
      this.location = location;
      this.keyspace = keyspace;
      this.hashBits = new long[capacity];
      this.admits = new boolean[capacity];
    }

    void add(long bits, boolean admit) {
      hashBits[size] = bits;
      admits[size] = admit;
      size++;
    }

    int size() {
      return size;
    }

    /** Makes a step of the operations since the last cut, if there are any. */
    void cut(boolean marking) {
      if (size > 0) {
        steps.add(
            new ChangeStep.Operations(
                location,
                keyspace,
                Arrays.copyOf(hashBits, size),
                Arrays.copyOf(admits, size),
                marking));
        size = 0;
      }
    }
  }
}
