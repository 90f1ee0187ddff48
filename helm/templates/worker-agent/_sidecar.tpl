{{/*
Agents in a pod of yours, from a chart that has this one as a dependency named kvmesh:

  metadata:
    labels:
      {{- include "kvmesh.sidecar.labels" .Subcharts.kvmesh | nindent 6 }}
  spec:
    enableServiceLinks: false
    securityContext: {fsGroup: 10001}
    initContainers:
      {{- include "kvmesh.sidecar.containers" .Subcharts.kvmesh | nindent 6 }}
    volumes:
      {{- include "kvmesh.sidecar.volumes" .Subcharts.kvmesh | nindent 6 }}

There is one for each of agents.gpusPerNode. They start before the pod's other containers and end after them.
*/}}
{{- define "kvmesh.sidecar.containers" -}}
{{- with include "kvmesh.agent.faults" . | fromJsonArray -}}
{{- fail (printf "\n  %s" (join "\n  " .)) -}}
{{- end -}}
{{- include "kvmesh.agent.containers" (dict "root" . "native" true) | trim -}}
{{- end -}}

{{- define "kvmesh.sidecar.volumes" -}}
{{- include "kvmesh.agent.volumes" . -}}
{{- end -}}

{{- define "kvmesh.sidecar.labels" -}}
{{- include "kvmesh.agent.podLabels" . -}}
{{- end -}}
