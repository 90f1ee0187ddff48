package io.kvmesh.helm;

import io.fabric8.kubernetes.api.model.ConfigMap;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.DaemonSet;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.apps.StatefulSet;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.openshift.api.model.monitoring.v1.PodMonitor;
import io.fabric8.openshift.api.model.monitoring.v1.PrometheusRule;
import io.fabric8.openshift.api.model.monitoring.v1.ServiceMonitor;
import java.util.Map;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.cfg.MapperConfig;
import tools.jackson.databind.introspect.Annotated;
import tools.jackson.databind.introspect.JacksonAnnotationIntrospector;
import tools.jackson.databind.json.JsonMapper;

/**
 * Kubernetes' own types. They keep fields that they don't know; here such a field is an error, as
 * are a value of another type and an object of a kind that isn't among them.
 */
final class KubernetesModel {

  private static final Map<String, Class<?>> TYPES =
      Map.ofEntries(
          Map.entry("v1 ConfigMap", ConfigMap.class),
          Map.entry("v1 Secret", Secret.class),
          Map.entry("v1 Service", Service.class),
          Map.entry("v1 ServiceAccount", ServiceAccount.class),
          Map.entry("apps/v1 DaemonSet", DaemonSet.class),
          Map.entry("apps/v1 Deployment", Deployment.class),
          Map.entry("apps/v1 StatefulSet", StatefulSet.class),
          Map.entry("autoscaling/v2 HorizontalPodAutoscaler", HorizontalPodAutoscaler.class),
          Map.entry("networking.k8s.io/v1 Ingress", Ingress.class),
          Map.entry("networking.k8s.io/v1 NetworkPolicy", NetworkPolicy.class),
          Map.entry("policy/v1 PodDisruptionBudget", PodDisruptionBudget.class),
          Map.entry("monitoring.coreos.com/v1 PodMonitor", PodMonitor.class),
          Map.entry("monitoring.coreos.com/v1 PrometheusRule", PrometheusRule.class),
          Map.entry("monitoring.coreos.com/v1 ServiceMonitor", ServiceMonitor.class));

  private static final JsonMapper MAPPER =
      JsonMapper.builder()
          .annotationIntrospector(new WithoutAnySetters())
          .enable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
          .build();

  private KubernetesModel() {}

  /**
   * @throws tools.jackson.core.JacksonException naming the place of what is wrong
   */
  static void check(JsonNode object) {
    String type = object.path("apiVersion").asString() + " " + object.path("kind").asString();
    Class<?> known = TYPES.get(type);
    if (known == null) {
      throw new IllegalArgumentException("No type is known for " + type);
    }
    var _ = MAPPER.treeToValue(object, known);
  }

  private static final class WithoutAnySetters extends JacksonAnnotationIntrospector {

    private static final long serialVersionUID = 1;

    @Override
    public Boolean hasAnySetter(MapperConfig<?> config, Annotated annotated) {
      return Boolean.FALSE;
    }
  }
}
