{{/* What values.schema.json can't say. All faults in one message. */}}
{{- define "kvmesh.check" -}}
{{- $faults := list -}}
{{- $v := .Values -}}
{{- if and (not $v.kafka.bootstrapServers) (not $v.kafka.trial.enabled) -}}
{{- $faults = append $faults "kafka.bootstrapServers must name a Kafka, host:port, or kafka.trial.enabled be true" -}}
{{- end -}}
{{- if and $v.kafka.bootstrapServers $v.kafka.trial.enabled -}}
{{- $faults = append $faults "kafka.bootstrapServers and kafka.trial.enabled exclude each other" -}}
{{- end -}}
{{- if and $v.kafka.propertiesSecret.name $v.kafka.trial.enabled -}}
{{- $faults = append $faults "kafka.propertiesSecret.name is of no use with kafka.trial.enabled" -}}
{{- end -}}
{{- if and $v.redis.uri $v.redis.trial.enabled -}}
{{- $faults = append $faults "redis.uri and redis.trial.enabled exclude each other" -}}
{{- end -}}
{{- if and $v.redis.username (not $v.redis.passwordSecret.name) -}}
{{- $faults = append $faults "redis.username needs redis.passwordSecret.name" -}}
{{- end -}}
{{- if and $v.redis.caSecret.name (not (hasPrefix "rediss" $v.redis.uri)) -}}
{{- $faults = append $faults "redis.caSecret.name is of no use without a rediss:// address in redis.uri" -}}
{{- end -}}
{{- if and (not $v.controller.enabled) $v.controller.ingress.enabled -}}
{{- $faults = append $faults "controller.ingress.enabled needs controller.enabled" -}}
{{- end -}}
{{- if and $v.controller.autoscaling.enabled (gt (int $v.controller.autoscaling.minReplicas) (int $v.controller.autoscaling.maxReplicas)) -}}
{{- $faults = append $faults (printf "controller.autoscaling.minReplicas (%v) must not exceed maxReplicas (%v)" $v.controller.autoscaling.minReplicas $v.controller.autoscaling.maxReplicas) -}}
{{- end -}}
{{- $limit := toString (dig "limits" "memory" "" $v.controller.resources) -}}
{{- if regexMatch "^[0-9]+([KMGT]i)?$" $limit -}}
{{- $beside := div (mul (int64 (include "kvmesh.bytes" $limit)) (sub 100 (int $v.controller.heapPercent))) 100 -}}
{{- if lt $beside 805306368 -}}
{{- $faults = append $faults (printf "controller.heapPercent (%d) leaves %dMi of controller.resources.limits.memory (%s) beside the heap, and 768Mi are needed" (int $v.controller.heapPercent) (div $beside 1048576) $limit) -}}
{{- end -}}
{{- end -}}
{{- if ge (int $v.controller.preStopSeconds) (int $v.controller.terminationGracePeriodSeconds) -}}
{{- $faults = append $faults "controller.preStopSeconds must be less than controller.terminationGracePeriodSeconds" -}}
{{- end -}}
{{- if ne $v.agents.kind "none" -}}
{{- $faults = concat $faults (include "kvmesh.agent.faults" . | fromJsonArray) -}}
{{- end -}}
{{- if $faults -}}
{{- fail (printf "\n  %s" (join "\n  " $faults)) -}}
{{- end -}}
{{- end -}}

{{/* Faults of agents, as a JSON array: also asked for by sidecars. */}}
{{- define "kvmesh.agent.faults" -}}
{{- $faults := list -}}
{{- $agents := .Values.agents -}}
{{- $model := .Values.model -}}
{{- $gpus := int $agents.gpusPerNode -}}
{{- $ranks := int (include "kvmesh.agent.ranks" .) -}}
{{- if not $model.name -}}
{{- $faults = append $faults "model.name must be set, as in the engine's keys" -}}
{{- end -}}
{{- if and (eq (include "kvmesh.bytes" $model.pageBytes) "0") (or (eq (int $model.layers) 0) (eq (int $model.hiddenSize) 0)) -}}
{{- $faults = append $faults "model.pageBytes must be set, or both model.layers and model.hiddenSize" -}}
{{- end -}}
{{- if ne (mod $gpus $ranks) 0 -}}
{{- $faults = append $faults (printf "agents.gpusPerNode (%d) must be a multiple of agents.ranksPerInstance (%d)" $gpus $ranks) -}}
{{- end -}}
{{- if and (not .Values.controller.enabled) (not $agents.controllers) -}}
{{- $faults = append $faults "agents.controllers must name controllers where controller.enabled is false" -}}
{{- end -}}
{{- if lt (int64 (include "kvmesh.bytes" $agents.memory.reserve)) 536870912 -}}
{{- $faults = append $faults (printf "agents.memory.reserve (%s) must be at least 512Mi" $agents.memory.reserve) -}}
{{- end -}}
{{- if and $agents.memory.numaNodes (ne (len $agents.memory.numaNodes) $gpus) -}}
{{- $faults = append $faults (printf "agents.memory.numaNodes must have one node for each of agents.gpusPerNode (%d), has %d" $gpus (len $agents.memory.numaNodes)) -}}
{{- end -}}
{{- $stop := add (int $agents.preStopSeconds) (int $agents.drainSeconds) 15 -}}
{{- if gt (int $stop) (int $agents.terminationGracePeriodSeconds) -}}
{{- $faults = append $faults (printf "agents.terminationGracePeriodSeconds (%d) must be at least agents.preStopSeconds + agents.drainSeconds + 15 (%d)" (int $agents.terminationGracePeriodSeconds) (int $stop)) -}}
{{- end -}}
{{- $taken := dict -}}
{{- range $index := until $gpus -}}
{{- range $door := list "init" "lookup" "control" "engine" "management" -}}
{{- $port := add (int (get $agents.ports $door)) (mul $index (int $agents.ports.stride)) -}}
{{- $name := printf "agents.ports.%s of GPU %d" $door $index -}}
{{- with get $taken (toString $port) -}}
{{- $faults = append $faults (printf "%s and %s are both %d" . $name $port) -}}
{{- end -}}
{{- if gt $port 65535 -}}
{{- $faults = append $faults (printf "%s is %d, above 65535" $name $port) -}}
{{- end -}}
{{- $_ := set $taken (toString $port) $name -}}
{{- end -}}
{{- end -}}
{{- toJson $faults -}}
{{- end -}}
