{{- define "kvmesh.controller.settings" -}}
{{ include "kvmesh.sharedSettings" . }}
kvmesh.advertised-host: $(POD_IP)
kvmesh.kafka.replication-factor: {{ .Values.kafka.replicationFactor }}
kvmesh.hash.algorithm: {{ .Values.model.hashAlgorithm | quote }}
kvmesh.hash.chunk-tokens: {{ .Values.model.chunkTokens }}
kvmesh.hash.seed: {{ .Values.model.hashSeed | quote }}
kvmesh.zmq.reply-bind: tcp://{{ .Values.bindHost }}:8400
kvmesh.zmq.pull-bind: {{ ternary (printf "tcp://%s:8300" .Values.bindHost) "" .Values.controller.lmcache.enabled | quote }}
kvmesh.zmq.heartbeat-bind: {{ ternary (printf "tcp://%s:8082" .Values.bindHost) "" .Values.controller.lmcache.enabled | quote }}
{{- with include "kvmesh.redisUri" . }}
kvmesh.redis.uri: {{ . | quote }}
kvmesh.redis.cluster: {{ $.Values.redis.cluster }}
{{- end }}
{{- with .Values.redis.username }}
kvmesh.redis.username: {{ . | quote }}
{{- end }}
{{- if .Values.redis.caSecret.name }}
kvmesh.redis.ca-file: /etc/kvmesh/redis/{{ .Values.redis.caSecret.key }}
{{- end }}
{{- if .Values.security.rest.enabled }}
kvmesh.access.mode: tokens
kvmesh.access.tokens-file: /etc/kvmesh/rest/tokens
{{- end }}
{{- range $index, $engine := .Values.controller.engines }}
{{- range $name, $value := $engine }}
{{ printf "kvmesh.vllm.engines[%d].%s" $index $name | quote }}: {{ $value | quote }}
{{- end }}
{{- end }}
server.port: 9000
{{- if .Values.controller.tlsSecret }}
server.ssl.bundle: rest
spring.ssl.bundle.pem.rest.keystore.certificate: file:/etc/kvmesh/tls/tls.crt
spring.ssl.bundle.pem.rest.keystore.private-key: file:/etc/kvmesh/tls/tls.key
spring.ssl.bundle.pem.rest.reload-on-update: true
{{- end }}
{{- end -}}

{{/* Secret and key of the password of Redis, as a selector; empty without a password. */}}
{{- define "kvmesh.redisPassword" -}}
{{- if .Values.redis.trial.enabled -}}
name: {{ include "kvmesh.fullname" . }}-redis-trial
key: password
{{- else if .Values.redis.passwordSecret.name -}}
name: {{ .Values.redis.passwordSecret.name }}
key: {{ .Values.redis.passwordSecret.key }}
{{- end -}}
{{- end -}}
