package io.kvmesh.controller.web;

import io.swagger.v3.oas.models.OpenAPI;
import io.swagger.v3.oas.models.Operation;
import io.swagger.v3.oas.models.PathItem;
import io.swagger.v3.oas.models.info.Info;
import io.swagger.v3.oas.models.media.Content;
import io.swagger.v3.oas.models.media.IntegerSchema;
import io.swagger.v3.oas.models.media.MediaType;
import io.swagger.v3.oas.models.media.ObjectSchema;
import io.swagger.v3.oas.models.media.Schema;
import io.swagger.v3.oas.models.media.StringSchema;
import io.swagger.v3.oas.models.responses.ApiResponse;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Properties;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;
import org.springdoc.core.customizers.OpenApiCustomizer;

/**
 * Completes the OpenAPI document: what each operation, parameter and field means, which is kept in
 * {@code openapi.properties}, and the problems that operations answer with. The keys there are
 * {@code METHOD_path}, {@code METHOD_path?parameter} and {@code Schema.field}; a {@code ?parameter}
 * or {@code .field} alone stands for all of that name.
 */
public final class OpenApiTexts implements OpenApiCustomizer {

  private static final String PROBLEM = "Problem";
  private static final String PROBLEM_JSON = "application/problem+json";
  private static final String LMCACHE = ".lmcache.";
  private static final Pattern UPPER_CASE = Pattern.compile("[A-Z]");

  private final Properties texts = new Properties();

  /** Reads the texts. */
  public OpenApiTexts() {
    try (InputStream in = OpenApiTexts.class.getResourceAsStream("openapi.properties")) {
      if (in == null) {
        throw new IllegalStateException("openapi.properties is not there");
      }
      texts.load(new InputStreamReader(in, StandardCharsets.UTF_8));
    } catch (IOException e) {
      throw new UncheckedIOException("openapi.properties can't be read", e);
    }
  }

  @Override
  public void customise(OpenAPI document) {
    document.info(
        new Info()
            .title("kvmesh controller")
            .version("v1")
            .description(texts.getProperty("info", "")));
    document.getComponents().addSchemas(PROBLEM, problem());
    document
        .getPaths()
        .forEach(
            (path, item) ->
                item.readOperationsMap()
                    .forEach((method, operation) -> complete(method, path, operation)));
    document.getComponents().getSchemas().forEach(this::complete);
  }

  private void complete(PathItem.HttpMethod method, String path, Operation operation) {
    String name = method + "_" + path;
    String summary = texts.getProperty(name);
    if (summary != null) {
      operation.setSummary(summary);
    }
    if (operation.getParameters() != null) {
      operation
          .getParameters()
          .forEach(
              parameter -> {
                String text = first(name + "?" + parameter.getName(), "?" + parameter.getName());
                if (text != null) {
                  parameter.setDescription(text);
                }
              });
    }
    if (operation.getRequestBody() != null && operation.getRequestBody().getDescription() == null) {
      operation.getRequestBody().setDescription(first(name + "?body", "?body"));
    }
    addProblems(path, operation);
  }

  private @Nullable String first(String key, String common) {
    return texts.getProperty(key, texts.getProperty(common));
  }

  private static void addProblems(String path, Operation operation) {
    boolean body = operation.getRequestBody() != null;
    boolean parameters = operation.getParameters() != null && !operation.getParameters().isEmpty();
    if (body || parameters) {
      add(operation, "400", "A field or parameter makes no sense: named with value and rule");
    }
    if (path.contains("{")) {
      add(operation, "404", "Nothing of that name is known here");
    }
    if (body) {
      add(operation, "413", "The body, or a list in it, is longer than allowed");
      add(operation, "415", "The body is not JSON");
    }
    add(operation, "503", "Not read to the log's end yet, or too much at once: ask another");
  }

  private static void add(Operation operation, String status, String description) {
    Schema<?> reference = new Schema<>().$ref("#/components/schemas/" + PROBLEM);
    operation
        .getResponses()
        .addApiResponse(
            status,
            new ApiResponse()
                .description(description)
                .content(
                    new Content().addMediaType(PROBLEM_JSON, new MediaType().schema(reference))));
  }

  private static Schema<?> problem() {
    return new ObjectSchema()
        .addProperty("type", new StringSchema().description("Always about:blank"))
        .addProperty("title", new StringSchema().description("Name of the status"))
        .addProperty("status", new IntegerSchema().description("The HTTP status"))
        .addProperty("detail", new StringSchema().description("What is wrong, in one sentence"))
        .addProperty("instance", new StringSchema().description("Path of the request"))
        .addProperty("field", new StringSchema().description("What is wrong in the request"))
        .addProperty("value", new StringSchema().description("Its value, shortened"))
        .addProperty("rule", new StringSchema().description("What it must be"))
        .addProperty(
            "code", new StringSchema()._enum(List.of("not_ready", "overloaded")).description("503"))
        .description("What went wrong (RFC 9457)");
  }

  /** Fields of LMCache's bodies are written with underscores, which the library doesn't see. */
  @SuppressWarnings({"rawtypes", "unchecked"}) // the library's own
  private void complete(String name, Schema schema) {
    Map<String, Schema> fields = schema.getProperties();
    if (fields == null) {
      return;
    }
    String simple = name.substring(Math.max(name.lastIndexOf('.'), name.lastIndexOf('$')) + 1);
    Map<String, Schema> completed = new LinkedHashMap<>();
    fields.forEach(
        (field, type) -> {
          String text = first(simple + "." + field, "." + field);
          if (text != null && type.getDescription() == null) {
            type.setDescription(text);
          }
          completed.put(name.contains(LMCACHE) ? underscored(field) : field, type);
        });
    schema.setProperties(completed);
  }

  private static String underscored(String field) {
    return UPPER_CASE.matcher(field).replaceAll("_$0").toLowerCase(Locale.ROOT);
  }
}
