package io.kvmesh.cli;

import java.net.InetAddress;
import java.net.ServerSocket;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;

/** A controller with one agent, of which nothing is wrong, to be changed. */
abstract class DoctorFixture {

  static final String HEALTH = "/actuator/health";
  static final String INFO = "/actuator/info";
  static final String LOG = "/api/v1/log";
  static final String REJECTED = "/api/v1/log/rejected?limit=1";
  static final String WORKERS = "/api/v1/workers";
  static final String ASKED = "/api/v1/commands/health?waitMillis=25000";
  static final String REACH = "/api/v1/commands/reach?waitMillis=25000";

  StubController controller;
  ServerSocket peer;

  @BeforeEach
  void start() throws Exception {
    peer = new ServerSocket(0, 50, InetAddress.getByName("127.0.0.1"));
    controller = healthy(new StubController());
  }

  StubController healthy(StubController stub) {
    return stub.answer(
            HEALTH,
            """
            {"status":"UP","components":{
              "index":{"status":"UP","details":{"full":false}},
              "kafka":{"status":"UP"},
              "redis":{"status":"UP","details":{"reason":"fine"}}}}
            """)
        .answer(
            INFO,
            """
            {"build":{"version":"0.1.0"},
             "hash":{"algorithm":"builtin","seed":"0","chunkTokens":256}}
            """)
        .answer(
            LOG,
            """
            {"ready":true,"misfits":[],
             "partitions":[{"partition":0,"records":0,"millis":0,"logMillis":1000}]}
            """)
        .answer(REJECTED, "{\"counts\":{\"undecodable\":0},\"records\":[]}")
        .answer(
            WORKERS,
            """
            {"workers":[{"instanceId":"a","rank":0,"state":"LIVE","gaps":0,"mismatch":null,
              "heartbeatAgeMillis":20000,
              "announcement":{"kind":"AGENT","ip":"10.0.0.7","port":8202,
                "peerInitUrl":"127.0.0.1:%d","chunkTokens":256,"hashAlgorithm":"builtin",
                "hashSeed":"0"}}]}
            """
                .formatted(peer.getLocalPort()))
        .answer(
            ASKED,
            """
            {"command":"health","state":"DONE",
             "workers":[{"rank":0,"status":"DONE","errorCode":0,"error":null}]}
            """);
  }

  @AfterEach
  void stop() throws Exception {
    controller.close();
    peer.close();
  }

  Run doctor(String... more) {
    String[] all = new String[more.length + 3];
    all[0] = "doctor";
    all[1] = "--url";
    all[2] = controller.url();
    System.arraycopy(more, 0, all, 3, more.length);
    return Run.of(all);
  }
}
