package io.kvmesh.controller.web;

import java.io.IOException;
import java.io.Writer;
import java.nio.charset.StandardCharsets;
import org.apache.catalina.Pipeline;
import org.apache.catalina.Valve;
import org.apache.catalina.connector.Request;
import org.apache.catalina.connector.Response;
import org.apache.catalina.core.StandardHost;
import org.apache.catalina.valves.ErrorReportValve;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.tomcat.ConfigurableTomcatWebServerFactory;
import org.springframework.boot.web.server.WebServerFactoryCustomizer;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;

/**
 * Answers what Tomcat itself refuses, such as a path that can't be decoded, in the form of every
 * other error.
 */
public final class ProblemValve extends ErrorReportValve {

  private static final int FIRST_ERROR = 400;

  /** Puts it in the place of Tomcat's own, which answers HTML. */
  public static WebServerFactoryCustomizer<ConfigurableTomcatWebServerFactory> customizer() {
    return factory ->
        factory.addContextCustomizers(context -> install((StandardHost) context.getParent()));
  }

  private static void install(StandardHost host) {
    Pipeline pipeline = host.getPipeline();
    for (Valve valve : pipeline.getValves()) {
      if (valve instanceof ErrorReportValve) {
        pipeline.removeValve(valve);
      }
    }
    host.setErrorReportValveClass(ProblemValve.class.getName());
    pipeline.addValve(new ProblemValve());
  }

  @Override
  protected void report(Request request, Response response, @Nullable Throwable failure) {
    int status = response.getStatus();
    if (status < FIRST_ERROR || response.getContentWritten() > 0 || !response.setErrorReported()) {
      return;
    }
    try {
      response.setContentType(MediaType.APPLICATION_PROBLEM_JSON_VALUE);
      response.setCharacterEncoding(StandardCharsets.UTF_8);
      Writer body = response.getReporter();
      if (body != null) {
        body.write(problem(status));
        response.finishResponse();
      }
    } catch (IOException | IllegalStateException e) {
      container.getLogger().debug("The client is gone before it was told of its error", e);
    }
  }

  private static String problem(int status) {
    HttpStatus known = HttpStatus.resolve(status);
    String title = known == null ? "Error" : known.getReasonPhrase();
    return "{\"detail\":\"this is no request that the server can read\",\"status\":%d,\"title\":\"%s\"}"
        .formatted(status, title);
  }
}
