package io.kvmesh.cli;

import java.io.PrintWriter;
import java.io.StringWriter;
import picocli.CommandLine;

/** What a command printed and ended with. */
record Run(int status, String out, String err) {

  static Run of(String... arguments) {
    StringWriter out = new StringWriter();
    StringWriter err = new StringWriter();
    CommandLine line =
        Kvmesh.commandLine().setOut(new PrintWriter(out)).setErr(new PrintWriter(err));
    int status = line.execute(arguments);
    return new Run(status, out.toString(), err.toString());
  }
}
