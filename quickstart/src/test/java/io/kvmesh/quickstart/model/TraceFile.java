package io.kvmesh.quickstart.model;

import io.kvmesh.quickstart.workload.MooncakeTrace;
import io.kvmesh.quickstart.workload.TraceFormatException;
import io.kvmesh.quickstart.workload.Workload;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.Assumptions;

/**
 * The chat trace, which isn't ours to ship: it is expected beside the checkout, and a test that
 * needs it is skipped where it is absent.
 */
public final class TraceFile {

  private static final String RELATIVE = "../shared/traces/conversation_trace.jsonl";

  private TraceFile() {}

  public static boolean isPresent() {
    return Files.isReadable(path());
  }

  /** Its place, whether it is there or not. */
  public static Path path() {
    for (Path root = Path.of("").toAbsolutePath(); root != null; root = root.getParent()) {
      if (Files.isDirectory(root.resolve(".git")) || Files.isRegularFile(root.resolve(".git"))) {
        return root.resolve(RELATIVE).normalize();
      }
    }
    return Path.of(RELATIVE).toAbsolutePath();
  }

  /** Skips the test where the file is absent. */
  public static Workload requirePresent(int requests) {
    Assumptions.assumeTrue(isPresent(), () -> "skipped, no trace at " + path());
    try {
      return MooncakeTrace.read(path(), requests);
    } catch (IOException | TraceFormatException e) {
      throw new IllegalStateException(e);
    }
  }
}
