"""Traces by OpenTelemetry: what each request spent its time on, in whichever process."""
