package io.kvmesh.benchmarks;

import java.io.EOFException;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;

/** Programs in Python that lie on the class path beside who starts them. */
public final class PythonScript {

  private PythonScript() {}

  /**
   * The text of a program.
   *
   * @param beside the class in whose package it is
   */
  public static String text(Class<?> beside, String file) throws IOException {
    try (InputStream in = beside.getResourceAsStream(file)) {
      if (in == null) {
        throw new EOFException(file + " is not on the class path");
      }
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }
}
