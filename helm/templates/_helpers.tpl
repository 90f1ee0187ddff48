{{- define "kvmesh.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 40 | trimSuffix "-" -}}
{{- end -}}

{{/* Begins the names of all objects. Short enough for what is appended. */}}
{{- define "kvmesh.fullname" -}}
{{- $name := include "kvmesh.name" . -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 40 | trimSuffix "-" -}}
{{- else if contains $name .Release.Name -}}
{{- .Release.Name | trunc 40 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{- define "kvmesh.serviceAccount" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "kvmesh.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{/* What a Service, a policy or a workload knows its pods by: dict root, component. */}}
{{- define "kvmesh.selector" -}}
app.kubernetes.io/name: {{ include "kvmesh.name" .root }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/component: {{ .component }}
{{- end -}}

{{/* dict root, component. */}}
{{- define "kvmesh.labels" -}}
{{ include "kvmesh.selector" . }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/part-of: kvmesh
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .root.Chart.Name .root.Chart.Version | replace "+" "_" }}
{{- with .root.Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/* dict root, image. */}}
{{- define "kvmesh.image" -}}
{{- if .image.digest -}}
{{- printf "%s%s@%s" .root.Values.image.registry .image.repository .image.digest -}}
{{- else -}}
{{- printf "%s%s:%s" .root.Values.image.registry .image.repository (default .root.Chart.AppVersion .image.tag) -}}
{{- end -}}
{{- end -}}

{{/* Bytes of a quantity such as 16Gi. */}}
{{- define "kvmesh.bytes" -}}
{{- $number := regexFind "^[0-9]+" . -}}
{{- $units := dict "" 1 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 -}}
{{- mul (int64 $number) (get $units (trimPrefix $number .)) -}}
{{- end -}}

{{/* Bytes as a quantity, rounded up. */}}
{{- define "kvmesh.mebibytes" -}}
{{- printf "%dMi" (div (add (int64 .) 1048575) 1048576) -}}
{{- end -}}

{{/* Arguments of a program from a map of settings, in their order. */}}
{{- define "kvmesh.arguments" -}}
{{- range $name := keys . | sortAlpha }}
{{- $value := get $ $name }}
{{- if kindIs "float64" $value }}{{ $value = int64 $value }}{{ end }}
- {{ printf "--%s=%v" $name $value | quote }}
{{- end }}
{{- end -}}

{{- define "kvmesh.kafkaServers" -}}
{{- if .Values.kafka.trial.enabled -}}
{{- printf "%s-kafka-trial:9092" (include "kvmesh.fullname" .) -}}
{{- else -}}
{{- .Values.kafka.bootstrapServers -}}
{{- end -}}
{{- end -}}

{{- define "kvmesh.redisUri" -}}
{{- if .Values.redis.trial.enabled -}}
{{- printf "redis://%s-redis-trial:6379" (include "kvmesh.fullname" .) -}}
{{- else -}}
{{- .Values.redis.uri -}}
{{- end -}}
{{- end -}}

{{- define "kvmesh.curveSecret" -}}
{{- default (printf "%s-curve" (include "kvmesh.fullname" .)) .Values.security.curve.existingSecret -}}
{{- end -}}

{{- define "kvmesh.restSecret" -}}
{{- default (printf "%s-rest" (include "kvmesh.fullname" .)) .Values.security.rest.existingSecret -}}
{{- end -}}

{{/* Data of a Secret that an upgrade finds, so that what was made up stays: dict root, name. */}}
{{- define "kvmesh.secretData" -}}
{{- if .root.Release.IsUpgrade -}}
{{- (lookup "v1" "Secret" .root.Release.Namespace .name).data | default dict | toYaml -}}
{{- end -}}
{{- end -}}

{{/* Settings that both programs have. */}}
{{- define "kvmesh.sharedSettings" -}}
kvmesh.cluster: {{ .Values.cluster | quote }}
logging.structured.format.console: {{ ternary "" .Values.logFormat (eq .Values.logFormat "plain") | quote }}
{{- if .Values.tracing.enabled }}
management.opentelemetry.enabled: true
management.tracing.sampling.probability: {{ .Values.tracing.sampling | quote }}
{{- with .Values.tracing.otlpEndpoint }}
management.opentelemetry.tracing.export.otlp.endpoint: {{ . | quote }}
{{- end }}
{{- end }}
kvmesh.kafka.bootstrap-servers: {{ include "kvmesh.kafkaServers" . | quote }}
kvmesh.kafka.partitions: {{ .Values.kafka.partitions }}
{{- if .Values.kafka.propertiesSecret.name }}
kvmesh.kafka.properties-file: {{ printf "/etc/kvmesh/kafka/%s" .Values.kafka.propertiesSecret.key }}
{{- end }}
{{- if .Values.security.curve.enabled }}
kvmesh.security.key-file: /etc/kvmesh/curve/kvmesh.key
{{- end }}
{{- end -}}

{{- define "kvmesh.podSecurityContext" -}}
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
fsGroup: 10001
seccompProfile:
  type: RuntimeDefault
{{- end -}}

{{- define "kvmesh.containerSecurityContext" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
runAsNonRoot: true
runAsUser: 10001
runAsGroup: 10001
{{- end -}}

{{/* Of a pod, whatever runs in it. No variables named after Services: they would look like settings. */}}
{{- define "kvmesh.podBasics" -}}
serviceAccountName: {{ include "kvmesh.serviceAccount" . }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
securityContext:
  {{- include "kvmesh.podSecurityContext" . | nindent 2 }}
{{- end -}}

{{/* dict probes, port, scheme. */}}
{{- define "kvmesh.probes" -}}
startupProbe:
  httpGet: {path: /actuator/health/liveness, port: {{ .port }}, scheme: {{ .scheme }}}
  timeoutSeconds: 3
  {{- toYaml .probes.startup | nindent 2 }}
readinessProbe:
  httpGet: {path: /actuator/health/readiness, port: {{ .port }}, scheme: {{ .scheme }}}
  timeoutSeconds: 3
  {{- toYaml .probes.readiness | nindent 2 }}
livenessProbe:
  httpGet: {path: /actuator/health/liveness, port: {{ .port }}, scheme: {{ .scheme }}}
  timeoutSeconds: 3
  {{- toYaml .probes.liveness | nindent 2 }}
{{- end -}}

{{- define "kvmesh.preStop" -}}
{{- if gt (int .) 0 -}}
lifecycle:
  preStop:
    sleep:
      seconds: {{ int . }}
{{- end -}}
{{- end -}}
