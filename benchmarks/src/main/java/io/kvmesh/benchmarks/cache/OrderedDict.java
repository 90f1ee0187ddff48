package io.kvmesh.benchmarks.cache;

import io.kvmesh.benchmarks.PythonScript;
import java.io.BufferedOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;

/** A Python program that keeps the keys in an OrderedDict under a lock; see ordered_dict.py. */
final class OrderedDict implements AutoCloseable {

  /**
   * What a replay came to.
   *
   * @param nanos it took, by the child's clock
   * @param found keys of prefixes
   */
  record Answer(long nanos, long found) {}

  private static final String PYTHON = "python3";

  private final Process process;
  private final DataOutputStream to;
  private final DataInputStream from;

  OrderedDict() throws IOException {
    process =
        new ProcessBuilder(PYTHON, "-c", PythonScript.text(OrderedDict.class, "ordered_dict.py"))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    to = new DataOutputStream(new BufferedOutputStream(process.getOutputStream(), 1 << 16));
    from = new DataInputStream(process.getInputStream());
  }

  /** The version of the interpreter; empty if there is none that runs. */
  static String version() throws InterruptedException {
    try {
      Process asked =
          new ProcessBuilder(PYTHON, "-c", "import sys; print(sys.version.split()[0])").start();
      String version = new String(asked.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
      return asked.waitFor() == 0 ? version.strip() : "";
    } catch (IOException absent) {
      return "";
    }
  }

  /** These keys are there, the first the least recently used; no more than so many from now on. */
  void fill(long[] keys) throws IOException {
    to.writeInt(keys.length);
    write(keys);
    answer();
  }

  /** Looks up prefixes of so many keys, and after each stores as many of the others. */
  Answer replay(int keys, long[] lookedUp, long[] stored) throws IOException {
    to.writeInt(lookedUp.length);
    to.writeInt(keys);
    write(lookedUp);
    write(stored);
    return answer();
  }

  private void write(long[] keys) throws IOException {
    for (long key : keys) {
      to.writeLong(key);
    }
  }

  private Answer answer() throws IOException {
    to.flush();
    return new Answer(from.readLong(), from.readLong());
  }

  @Override
  public void close() {
    try {
      to.close();
      if (!process.waitFor(10, TimeUnit.SECONDS)) {
        process.destroyForcibly();
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    } catch (InterruptedException e) {
      process.destroyForcibly();
      Thread.currentThread().interrupt();
    }
  }
}
