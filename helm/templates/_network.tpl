{{/* DNS, for every pod. */}}
{{- define "kvmesh.network.dns" -}}
- ports:
    - {port: 53, protocol: UDP}
    - {port: 53, protocol: TCP}
{{- end -}}

{{/* Ports of addresses such as a:1,redis://b:2/0: dict addresses, and the port of one that names none. */}}
{{- define "kvmesh.network.ports" -}}
{{- $ports := list -}}
{{- range splitList "," .addresses -}}
{{- $ports = append $ports (regexFind ":[0-9]+(/|$)" . | trimAll ":/" | default $.port) -}}
{{- end -}}
{{- range uniq $ports }}
- {port: {{ . }}, protocol: TCP}
{{- end }}
{{- end -}}

{{/* To the collector of spans, where there is one. */}}
{{- define "kvmesh.network.traces" -}}
{{- if and .Values.tracing.enabled .Values.tracing.otlpEndpoint }}
# Spans.
- ports:
    {{- $usual := ternary "443" "80" (hasPrefix "https:" .Values.tracing.otlpEndpoint) }}
    {{- include "kvmesh.network.ports" (dict "addresses" .Values.tracing.otlpEndpoint "port" $usual) | trim | nindent 4 }}
  {{- with .Values.networkPolicy.tracesTo }}
  to:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- end }}
{{- end -}}

{{/* Nodes as peers; nothing = any address. */}}
{{- define "kvmesh.network.nodes" -}}
{{- range .Values.networkPolicy.nodeCidrs }}
- ipBlock: {cidr: {{ . }}}
{{- end }}
{{- end -}}

{{/* Agents as peers; nothing = any address, where they may be in the networks of unknown nodes. */}}
{{- define "kvmesh.network.agents" -}}
{{- $inNodes := and .Values.agents.hostNetwork (ne .Values.agents.kind "none") -}}
{{- if not (and $inNodes (not .Values.networkPolicy.nodeCidrs)) }}
- namespaceSelector: {}
  podSelector:
    matchLabels:
      {{- include "kvmesh.agent.podLabels" . | nindent 6 }}
{{- if $inNodes }}
{{- include "kvmesh.network.nodes" . }}
{{- end }}
{{- end }}
{{- end -}}

{{/* dict root, doors: these ports of all agents of a pod. */}}
{{- define "kvmesh.network.doors" -}}
{{- range $index := until (int .root.Values.agents.gpusPerNode) }}
{{- range $door := $.doors }}
- {port: {{ include "kvmesh.agent.port" (dict "root" $.root "index" $index "door" $door) }}, protocol: TCP}
{{- end }}
{{- end }}
{{- end -}}

{{- define "kvmesh.network.controllers" -}}
- podSelector:
    matchLabels:
      {{- include "kvmesh.selector" (dict "root" . "component" "controller") | nindent 6 }}
{{- end -}}
