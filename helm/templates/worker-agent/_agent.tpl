{{/* GPUs of one engine. */}}
{{- define "kvmesh.agent.ranks" -}}
{{- default .Values.agents.gpusPerNode .Values.agents.ranksPerInstance | int -}}
{{- end -}}

{{/* Port of a GPU's agent: dict root, index, door. */}}
{{- define "kvmesh.agent.port" -}}
{{- $ports := .root.Values.agents.ports -}}
{{- add (int (get $ports .door)) (mul .index (int $ports.stride)) -}}
{{- end -}}

{{/* Two names of the controllers, so that an agent mostly has connections to two of them. */}}
{{- define "kvmesh.agent.controllers" -}}
{{- if .Values.agents.controllers -}}
{{- join "," .Values.agents.controllers -}}
{{- else -}}
{{- $name := include "kvmesh.fullname" . -}}
{{- printf "%s-controller-zmq.%s.svc:8400,%s-controller.%s.svc:8400" $name .Release.Namespace $name .Release.Namespace -}}
{{- end -}}
{{- end -}}

{{/* Bytes of a GPU's memory for chunks: a file has, beside it, 4 bytes for each 4096 and a header. In whole MiB. */}}
{{- define "kvmesh.agent.arenaBytes" -}}
{{- $memory := .Values.agents.memory -}}
{{- $capacity := int64 (include "kvmesh.bytes" $memory.capacity) -}}
{{- if eq $memory.volume "none" -}}
{{- $capacity -}}
{{- else -}}
{{- $file := add $capacity (div $capacity 1024) 16384 -}}
{{- $unit := ternary (int64 (include "kvmesh.bytes" $memory.hugePageSize)) 1048576 (eq $memory.volume "hugepages") -}}
{{- mul $unit (div (add $file (sub $unit 1)) $unit) -}}
{{- end -}}
{{- end -}}

{{/* Bytes of memory that one agent's container is given, huge pages apart. */}}
{{- define "kvmesh.agent.memoryBytes" -}}
{{- $memory := .Values.agents.memory -}}
{{- $sum := add (include "kvmesh.bytes" $memory.heap) (include "kvmesh.bytes" $memory.reserve) (include "kvmesh.bytes" $memory.compressed) -}}
{{- if eq $memory.volume "hugepages" -}}
{{- $sum -}}
{{- else -}}
{{- add $sum (include "kvmesh.agent.arenaBytes" .) -}}
{{- end -}}
{{- end -}}

{{/* Direct memory of one agent, in MiB: its reserve but for 256Mi of threads, code and the rest of the JVM. */}}
{{- define "kvmesh.agent.directMebibytes" -}}
{{- sub (div (int64 (include "kvmesh.bytes" .Values.agents.memory.reserve)) 1048576) 256 -}}
{{- end -}}

{{/* Name of a GPU's file: of one node's pods no two are alike, and a pod that comes again has the same. */}}
{{- define "kvmesh.agent.file" -}}
{{- $pod := ternary (include "kvmesh.fullname" .root) "$(POD_NAME)" (eq .root.Values.agents.kind "DaemonSet") -}}
{{- printf "/dev/shm/%s-%s-%d" .root.Release.Namespace $pod (int .index) -}}
{{- end -}}

{{/* dict root, index. */}}
{{- define "kvmesh.agent.settings" -}}
{{- $v := .root.Values -}}
{{- $ranks := int (include "kvmesh.agent.ranks" .root) -}}
{{- $instance := ternary "$(NODE_NAME)" "$(POD_NAME)" (eq $v.agents.kind "DaemonSet") -}}
{{- if lt $ranks (int $v.agents.gpusPerNode) -}}
{{- $instance = printf "%s-%d" $instance (div .index $ranks) -}}
{{- end -}}
{{ include "kvmesh.sharedSettings" .root }}
kvmesh.controllers: {{ include "kvmesh.agent.controllers" .root }}
kvmesh.instance-id: {{ $instance }}
kvmesh.rank: {{ mod .index $ranks }}
kvmesh.peer.advertised-host: $(POD_IP)
kvmesh.peer.init-bind: tcp://{{ $v.bindHost }}:{{ include "kvmesh.agent.port" (merge (dict "door" "init") .) }}
kvmesh.peer.lookup-bind: tcp://{{ $v.bindHost }}:{{ include "kvmesh.agent.port" (merge (dict "door" "lookup") .) }}
kvmesh.control.bind: tcp://{{ $v.bindHost }}:{{ include "kvmesh.agent.port" (merge (dict "door" "control") .) }}
kvmesh.engine.bind: tcp://127.0.0.1:{{ include "kvmesh.agent.port" (merge (dict "door" "engine") .) }}
server.port: {{ include "kvmesh.agent.port" (merge (dict "door" "management") .) }}
{{- if $v.security.rest.enabled }}
kvmesh.access.tokens-file: /etc/kvmesh/rest/tokens
{{- end }}
kvmesh.model.name: {{ $v.model.name | quote }}
kvmesh.model.dtype: {{ $v.model.dtype | quote }}
kvmesh.model.chunk-tokens: {{ $v.model.chunkTokens }}
kvmesh.model.world-size: {{ default $ranks $v.model.worldSize }}
kvmesh.model.hash-algorithm: {{ $v.model.hashAlgorithm | quote }}
kvmesh.model.hash-seed: {{ $v.model.hashSeed | quote }}
kvmesh.model.layers: {{ $v.model.layers }}
kvmesh.model.hidden-size: {{ $v.model.hiddenSize }}
kvmesh.model.page-bytes: {{ include "kvmesh.bytes" $v.model.pageBytes }}B
kvmesh.cache.capacity-bytes: {{ include "kvmesh.bytes" $v.agents.memory.capacity }}B
kvmesh.cache.compressed-bytes: {{ include "kvmesh.bytes" $v.agents.memory.compressed }}B
kvmesh.drain.at-shutdown: {{ int $v.agents.drainSeconds }}s
kvmesh.memory.reserve-bytes: {{ include "kvmesh.bytes" $v.agents.memory.reserve }}B
kvmesh.memory.locked: {{ $v.agents.memory.locked | quote }}
kvmesh.memory.prefault: {{ $v.agents.memory.prefault | quote }}
{{- if ne $v.agents.memory.volume "none" }}
kvmesh.memory.file: {{ include "kvmesh.agent.file" . }}
{{- end }}
{{- if eq $v.agents.memory.volume "hugepages" }}
kvmesh.memory.hugetlb: required
{{- end }}
kvmesh.topology.host: $(NODE_NAME)
{{- if $v.agents.topology.zoneLabel }}
kvmesh.topology.zone: $(TOPOLOGY_ZONE)
{{- end }}
{{- if $v.agents.topology.rackLabel }}
kvmesh.topology.rack: $(TOPOLOGY_RACK)
{{- end }}
{{- with $v.agents.memory.numaNodes }}
kvmesh.memory.numa-node: {{ index . $.index }}
{{- end }}
{{- end -}}

{{/* The container of one GPU: dict root, index, and native = true where it is an init container that stays. */}}
{{- define "kvmesh.agent.container" -}}
{{- $agents := .root.Values.agents -}}
{{- $memory := $agents.memory -}}
{{- $settings := merge (dict) $agents.settings (include "kvmesh.agent.settings" . | fromYaml) -}}
{{- $bytes := include "kvmesh.mebibytes" (include "kvmesh.agent.memoryBytes" .root) -}}
{{- $huge := printf "hugepages-%s" $memory.hugePageSize -}}
name: agent-{{ .index }}
image: {{ include "kvmesh.image" (dict "root" .root "image" $agents.image) | quote }}
imagePullPolicy: {{ .root.Values.image.pullPolicy }}
{{- if .native }}
restartPolicy: Always
{{- end }}
args:
  {{- include "kvmesh.arguments" $settings | trim | nindent 2 }}
env:
  - name: NODE_NAME
    valueFrom: {fieldRef: {fieldPath: spec.nodeName}}
  - name: POD_NAME
    valueFrom: {fieldRef: {fieldPath: metadata.name}}
  - name: POD_IP
    valueFrom: {fieldRef: {fieldPath: status.podIP}}
  {{- with $agents.topology.zoneLabel }}
  - name: TOPOLOGY_ZONE
    valueFrom: {fieldRef: {fieldPath: "metadata.labels['{{ . }}']"}}
  {{- end }}
  {{- with $agents.topology.rackLabel }}
  - name: TOPOLOGY_RACK
    valueFrom: {fieldRef: {fieldPath: "metadata.labels['{{ . }}']"}}
  {{- end }}
  - name: JDK_JAVA_OPTIONS
    value: {{ printf "-Xmx%dm -XX:MaxDirectMemorySize=%sm -XX:HeapDumpPath=/tmp/agent-%d.hprof -Dsun.net.inetaddr.ttl=5 %s" (div (int64 (include "kvmesh.bytes" $memory.heap)) 1048576) (include "kvmesh.agent.directMebibytes" .root) (int .index) $agents.javaOptions | trim | quote }}
  {{- with $agents.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
ports:
  {{- range $door := list "init" "lookup" "control" "management" }}
  - {name: {{ printf "%s-%d" (ternary "metrics" $door (eq $door "management")) (int $.index) }}, containerPort: {{ include "kvmesh.agent.port" (merge (dict "door" $door) $) }}}
  {{- end }}
resources:
  requests:
    cpu: {{ $agents.cpuRequest | quote }}
    memory: {{ $bytes }}
    {{- if eq $memory.volume "hugepages" }}
    {{ $huge }}: {{ include "kvmesh.mebibytes" (include "kvmesh.agent.arenaBytes" .root) }}
    {{- end }}
  limits:
    {{- with $agents.cpuLimit }}
    cpu: {{ . | quote }}
    {{- end }}
    memory: {{ $bytes }}
    {{- if eq $memory.volume "hugepages" }}
    {{ $huge }}: {{ include "kvmesh.mebibytes" (include "kvmesh.agent.arenaBytes" .root) }}
    {{- end }}
securityContext:
  {{- include "kvmesh.containerSecurityContext" .root | nindent 2 }}
  capabilities:
    drop: [ALL]
    {{- $added := list }}
    {{- if ne $memory.locked "off" }}{{ $added = append $added "IPC_LOCK" }}{{ end }}
    {{- if $memory.numaNodes }}{{ $added = append $added "SYS_NICE" }}{{ end }}
    {{- with $added }}
    add: {{ toJson . }}
    {{- end }}
{{- $port := printf "metrics-%d" (int .index) }}
{{ include "kvmesh.probes" (dict "probes" $agents.probes "port" $port "scheme" "HTTP") }}
{{- with include "kvmesh.preStop" $agents.preStopSeconds }}
{{ . }}
{{- end }}
volumeMounts:
  - {name: kvmesh-tmp, mountPath: /tmp}
  {{- if ne $memory.volume "none" }}
  - {name: kvmesh-memory, mountPath: /dev/shm}
  {{- end }}
  {{- if .root.Values.security.curve.enabled }}
  - {name: kvmesh-curve, mountPath: /etc/kvmesh/curve, readOnly: true}
  {{- end }}
  {{- if .root.Values.security.rest.enabled }}
  - {name: kvmesh-rest, mountPath: /etc/kvmesh/rest, readOnly: true}
  {{- end }}
  {{- if .root.Values.kafka.propertiesSecret.name }}
  - {name: kvmesh-kafka, mountPath: /etc/kvmesh/kafka, readOnly: true}
  {{- end }}
  {{- with $agents.extraVolumeMounts }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{/* Volumes of a pod with agents. */}}
{{- define "kvmesh.agent.volumes" -}}
{{- $memory := .Values.agents.memory -}}
# Native libraries, and the heap dump of an agent that ran out of memory.
- name: kvmesh-tmp
  emptyDir: {}
{{- if eq $memory.volume "emptyDir" }}
- name: kvmesh-memory
  emptyDir:
    medium: Memory
    sizeLimit: {{ include "kvmesh.mebibytes" (mul (int .Values.agents.gpusPerNode) (include "kvmesh.agent.arenaBytes" .)) }}
{{- else if eq $memory.volume "hugepages" }}
- name: kvmesh-memory
  emptyDir: {medium: HugePages-{{ $memory.hugePageSize }}}
{{- else if eq $memory.volume "hostPath" }}
- name: kvmesh-memory
  hostPath: {path: /dev/shm, type: Directory}
{{- end }}
{{- if .Values.security.curve.enabled }}
- name: kvmesh-curve
  secret: {secretName: {{ include "kvmesh.curveSecret" . }}, defaultMode: 0440}
{{- end }}
{{- if .Values.security.rest.enabled }}
- name: kvmesh-rest
  secret:
    secretName: {{ include "kvmesh.restSecret" . }}
    defaultMode: 0440
    items: [{key: tokens, path: tokens}]
{{- end }}
{{- with .Values.kafka.propertiesSecret.name }}
- name: kvmesh-kafka
  secret: {secretName: {{ . }}, defaultMode: 0440}
{{- end }}
{{- end -}}

{{/* On every pod that has agents: by it the chart's NetworkPolicies know sidecars, too. */}}
{{- define "kvmesh.agent.podLabels" -}}
kvmesh.io/agent-of: {{ include "kvmesh.fullname" . }}
{{- end -}}

{{/* All containers of a pod: dict root, native. */}}
{{- define "kvmesh.agent.containers" -}}
{{- $all := . -}}
{{- range $index := until (int .root.Values.agents.gpusPerNode) }}
- {{ include "kvmesh.agent.container" (merge (dict "index" $index) $all) | nindent 2 | trim }}
{{- end }}
{{- end -}}

{{/* Pod of a DaemonSet or a StatefulSet. */}}
{{- define "kvmesh.agent.pod" -}}
{{- $agents := .Values.agents -}}
metadata:
  labels:
    {{- include "kvmesh.labels" (dict "root" . "component" "agent") | nindent 4 }}
    {{- include "kvmesh.agent.podLabels" . | nindent 4 }}
    {{- with $agents.podLabels }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  {{- with $agents.podAnnotations }}
  annotations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
spec:
  {{- include "kvmesh.podBasics" . | nindent 2 }}
  {{- if $agents.hostNetwork }}
  hostNetwork: true
  dnsPolicy: ClusterFirstWithHostNet
  {{- end }}
  terminationGracePeriodSeconds: {{ $agents.terminationGracePeriodSeconds }}
  {{- with $agents.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with $agents.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with $agents.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    {{- include "kvmesh.agent.containers" (dict "root" .) | trim | nindent 4 }}
    {{- with $agents.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "kvmesh.agent.volumes" . | nindent 4 }}
    {{- with $agents.extraVolumes }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
{{- end -}}
