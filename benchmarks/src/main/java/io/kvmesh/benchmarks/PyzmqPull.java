package io.kvmesh.benchmarks;

import java.io.BufferedReader;
import java.io.EOFException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** The same bytes by pyzmq between two processes; see pyzmq_pull.py. A line tells it to pull. */
final class PyzmqPull implements Contender {

  private static final String PYTHON = "/usr/bin/python3";
  private static final byte[] PULL = {'\n'};

  private final Process process;
  private final BufferedReader answers;

  PyzmqPull(int chunks, int chunkBytes) throws IOException {
    process =
        new ProcessBuilder(
                PYTHON,
                "-c",
                PythonScript.text(PyzmqPull.class, "pyzmq_pull.py"),
                Integer.toString(chunks),
                Integer.toString(chunkBytes))
            .redirectError(ProcessBuilder.Redirect.INHERIT)
            .start();
    answers = process.inputReader(StandardCharsets.US_ASCII);
    expect("ready");
  }

  /** Whether there is a Python that has pyzmq. */
  static boolean isPossible() throws InterruptedException {
    try {
      return new ProcessBuilder(PYTHON, "-c", "import zmq")
              .redirectError(ProcessBuilder.Redirect.DISCARD)
              .start()
              .waitFor()
          == 0;
    } catch (IOException absent) {
      return false;
    }
  }

  @Override
  public String name() {
    return "pyzmq (libzmq), unchecked";
  }

  @Override
  public void pull() throws IOException {
    process.getOutputStream().write(PULL);
    process.getOutputStream().flush();
    expect("done");
  }

  private void expect(String line) throws IOException {
    String answer = answers.readLine();
    if (!line.equals(answer)) {
      throw new EOFException("pyzmq_pull.py answered " + answer + " where " + line + " is due");
    }
  }

  /** The program ends with its standard input. */
  @Override
  public void close() throws IOException {
    process.getOutputStream().close();
  }
}
