package io.kvmesh.agent.config;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.Objects.requireNonNull;
import static org.assertj.core.api.Assertions.assertThat;

import io.kvmesh.agent.AgentApplication;
import io.kvmesh.agent.ops.AgentEndpoint;
import java.io.IOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.springframework.context.ConfigurableApplicationContext;

/**
 * OBS-1: nothing that a client may choose becomes a label. OBS-2: what was counted once stays what
 * it is, however often it is asked for.
 */
@Timeout(180)
class SeriesIT {

  private static final int PAGE = 4096;
  private static final int MANY = 300;

  private static ConfigurableApplicationContext start() {
    return AgentApplication.start(
        "--server.port=0",
        "--server.address=127.0.0.1",
        "--kvmesh.instance-id=a",
        "--kvmesh.advertise-loopback=true",
        "--kvmesh.model.name=m",
        "--kvmesh.model.chunk-tokens=16",
        "--kvmesh.model.page-bytes=" + PAGE + "B",
        "--kvmesh.cache.capacity-bytes=" + 5 * PAGE + "B",
        "--kvmesh.kafka.bootstrap-servers=127.0.0.1:1",
        "--kvmesh.peer.init-bind=tcp://127.0.0.1:0",
        "--kvmesh.peer.lookup-bind=tcp://127.0.0.1:0",
        "--kvmesh.control.bind=tcp://127.0.0.1:0",
        "--kvmesh.engine.bind=tcp://127.0.0.1:0",
        "--kvmesh.resp.enabled=true",
        "--kvmesh.resp.exists=local",
        "--kvmesh.resp.bind=tcp://127.0.0.1:0");
  }

  private static int ask(HttpClient http, URI base, String method, String path)
      throws IOException, InterruptedException {
    HttpRequest request =
        HttpRequest.newBuilder(base.resolve(path))
            .method(method, HttpRequest.BodyPublishers.noBody())
            .header("X-Request-Id", path)
            .build();
    return http.send(request, HttpResponse.BodyHandlers.discarding()).statusCode();
  }

  private static List<String> scrape(HttpClient http, URI base) throws Exception {
    HttpRequest request = HttpRequest.newBuilder(base.resolve("/actuator/prometheus")).build();
    return http.send(request, HttpResponse.BodyHandlers.ofString())
        .body()
        .lines()
        .filter(line -> !line.startsWith("#"))
        .toList();
  }

  private static Set<String> series(List<String> scraped) {
    return scraped.stream()
        .map(line -> line.substring(0, line.lastIndexOf(' ')))
        .collect(Collectors.toCollection(TreeSet::new));
  }

  private static URI base(ConfigurableApplicationContext program) {
    String port = requireNonNull(program.getEnvironment().getProperty("local.server.port"));
    return URI.create("http://127.0.0.1:" + port);
  }

  private static int respPort(ConfigurableApplicationContext program) {
    String address =
        requireNonNull(program.getBean(AgentEndpoint.class).state().doors().get("resp"));
    return Integer.parseInt(address.substring(address.lastIndexOf(':') + 1));
  }

  @Test
  void whatClientsChoose_isNoLabel() throws Exception {
    try (ConfigurableApplicationContext program = start();
        HttpClient http = HttpClient.newHttpClient()) {
      URI base = base(program);
      Random random = new Random(1);
      askForAll(http, base, random);
      talk(respPort(program), random);
      Set<String> before = series(scrape(http, base));
      for (int i = 0; i < MANY; i++) {
        askForAll(http, base, random);
      }
      talk(respPort(program), random);

      Set<String> more = series(scrape(http, base));
      more.removeAll(before);
      assertThat(more).hasSizeLessThan(10);
    }
  }

  private static void askForAll(HttpClient http, URI base, Random random)
      throws IOException, InterruptedException {
    String id = Long.toHexString(random.nextLong());
    for (String path :
        List.of("/" + id, "/actuator/" + id, "/actuator/chunks/" + id, "/?x=" + id, "/a/b/" + id)) {
      assertThat(ask(http, base, "GET", path)).as(path).isBetween(200, 499);
      assertThat(ask(http, base, "X" + id, path)).as(path).isBetween(400, 501);
    }
    assertThat(ask(http, base, "GET", "/actuator/agent?limit=" + id)).isBetween(200, 499);
    assertThat(ask(http, base, "POST", "/actuator/agent/" + id)).isBetween(400, 499);
  }

  private static void talk(int port, Random random) throws IOException {
    try (Socket client = new Socket(InetAddress.getLoopbackAddress(), port)) {
      for (int i = 0; i < MANY; i++) {
        String id = Long.toHexString(random.nextLong());
        say(client, "SET " + id + " " + "x".repeat(PAGE));
        say(client, "GET m@1@0@" + id + "@half");
        say(client, "C" + id + " " + id);
      }
    }
  }

  private static void say(Socket client, String request) throws IOException {
    client.getOutputStream().write((request + "\r\n").getBytes(UTF_8));
    assertThat(client.getInputStream().read(new byte[2 * PAGE])).isPositive();
  }

  @Test
  void whatWasCounted_staysAsItIs() throws Exception {
    try (ConfigurableApplicationContext program = start();
        HttpClient http = HttpClient.newHttpClient()) {
      URI base = base(program);
      try (Socket client = new Socket(InetAddress.getLoopbackAddress(), respPort(program))) {
        for (int i = 0; i < 7; i++) {
          say(client, "SET key" + i + " " + "x".repeat(PAGE));
        }
        for (int i = 4; i < 9; i++) {
          say(client, "GET key" + i);
        }
      }
      List<String> wanted =
          List.of(
              "kvmesh_agent_cache_admitted_total 7.0",
              "kvmesh_agent_cache_removed_total{cause=\"evicted\"} 2.0",
              "kvmesh_agent_resp_events_total{kind=\"get_local\"} 3.0",
              "kvmesh_agent_resp_events_total{kind=\"get_unavailable\"} 2.0",
              "kvmesh_agent_resp_events_total{kind=\"get_miss\"} 0.0");
      for (int i = 0; i < 10; i++) {
        assertThat(scrape(http, base)).containsAll(wanted);
      }
    }
  }
}
