//! Assembles the OpenAPI document from the same table as the routes, with the schemas of the request and response types.

use crate::request::access::RequiredAccess;
use schemars::{JsonSchema, SchemaGenerator, generate::SchemaSettings};
use serde_json::{Map, Value, json};

/// One operation: its request and its response.
pub(crate) struct Operation {
    pub(crate) method: &'static str,
    pub(crate) path: &'static str,
    pub(crate) requires: RequiredAccess,
    id: &'static str,
    summary: &'static str,
    parameters: Vec<Value>,
    body: Option<Value>,
    answer: Value,
}

/// The schemas of requests and of responses.
pub(crate) struct Schemas {
    requests: SchemaGenerator,
    responses: SchemaGenerator,
}

impl Schemas {
    pub(crate) fn new() -> Self {
        let settings = || {
            SchemaSettings::draft2020_12().with(|settings| {
                settings.definitions_path = "/components/schemas".into();
                settings.meta_schema = None;
            })
        };
        Self { requests: settings().into_generator(), responses: settings().for_serialize().into_generator() }
    }

    fn all(mut self) -> Map<String, Value> {
        let mut all = self.requests.take_definitions(true);
        all.extend(self.responses.take_definitions(true));
        all
    }
}

impl Operation {
    /// An operation that answers 200 without a body.
    pub(crate) fn new(
        method: &'static str,
        path: &'static str,
        id: &'static str,
        summary: &'static str,
    ) -> Self {
        let parameters = path.split('{').skip(1).filter_map(|rest| rest.split('}').next());
        let parameters = parameters.map(|name| {
            let schema = match name {
                "agent" => json!({"type": "string", "pattern": "^[a-z0-9][a-z0-9._-]{0,63}$"}),
                "ref" if path.contains("/memories/") => {
                    json!({"type": "string", "pattern": "^mem_[0-7][0-9a-hjkmnp-tv-z]{25}$"})
                }
                "ref" => {
                    json!({"type": "string", "pattern": "^(msg|ex|mem|blf|dig|att)_[0-7][0-9a-hjkmnp-tv-z]{25}$"})
                }
                _ => json!({"type": "string", "minLength": 1}),
            };
            json!({"name": name, "in": "path", "required": true, "schema": schema})
        });
        Self {
            method,
            path,
            requires: if path.contains("{agent}") { RequiredAccess::Agent } else { RequiredAccess::Operator },
            id,
            summary,
            parameters: parameters.collect(),
            body: None,
            answer: json!({"description": "done"}),
        }
    }

    pub(crate) fn requires(self, requires: RequiredAccess) -> Self {
        Self { requires, ..self }
    }

    /// Adds a JSON request body.
    pub(crate) fn takes_json<T: JsonSchema>(mut self, schemas: &mut Schemas) -> Self {
        let schema = schemas.requests.subschema_for::<T>();
        self.body = Some(json!({"required": true, "content": {"application/json": {"schema": schema}}}));
        self
    }

    /// Adds a request body of another type.
    pub(crate) fn takes(mut self, kind: &'static str) -> Self {
        self.body = Some(json!({"required": true, "content": {kind: {"schema": {"type": "string"}}}}));
        self
    }

    /// Adds a request body of files.
    pub(crate) fn takes_files(mut self) -> Self {
        let file = json!({"type": "string", "format": "binary"});
        let schema = json!({"type": "object", "properties": {"file": {"type": "array", "items": file}}});
        self.body = Some(json!({"required": true, "content": {"multipart/form-data": {"schema": schema}}}));
        self
    }

    /// Adds query parameters.
    pub(crate) fn takes_query<T: JsonSchema>(mut self) -> Self {
        let settings = SchemaSettings::draft2020_12().with(|settings| settings.inline_subschemas = true);
        let schema = settings.into_generator().into_root_schema_for::<T>().to_value();
        let required = schema["required"].as_array().cloned().unwrap_or_default();
        for (name, schema) in schema["properties"].as_object().into_iter().flatten() {
            let mut schema = schema.clone();
            let description = schema.as_object_mut().and_then(|schema| schema.remove("description"));
            without_null(&mut schema);
            let required = required.iter().any(|one| one == name.as_str());
            self.parameters.push(json!({"name": name, "in": "query", "required": required,
                                        "description": description, "schema": schema}));
        }
        self
    }

    /// Adds the `Idempotency-Key` header.
    pub(crate) fn idempotent(mut self) -> Self {
        self.parameters.push(json!({
            "name": "Idempotency-Key", "in": "header", "required": false,
            "description": "Your own name for this request: sent again with the same body it is answered as the first \
                            time and changes nothing; with another body it is refused.",
            "schema": {"type": "string", "pattern": "^[!-~]{1,200}$"},
        }));
        self
    }

    /// Adds a JSON response body.
    pub(crate) fn answers_json<T: JsonSchema>(mut self, schemas: &mut Schemas) -> Self {
        let schema = schemas.responses.subschema_for::<T>();
        self.answer =
            json!({"description": "the answer", "content": {"application/json": {"schema": schema}}});
        self
    }

    /// Adds a response body of another type.
    pub(crate) fn answers(mut self, kind: &'static str) -> Self {
        self.answer = json!({"description": "the answer", "content": {kind: {"schema": {"type": "string"}}}});
        self
    }

    fn document(&self) -> Value {
        let scope = match self.requires {
            RequiredAccess::Public => "none",
            RequiredAccess::Agent => "agent",
            RequiredAccess::Operator => "operator",
        };
        let mut operation = json!({
            "operationId": self.id, "summary": self.summary, "parameters": self.parameters, "x-cairn-scope": scope,
            "responses": {"200": self.answer, "default": {"$ref": "#/components/responses/Problem"}},
        });
        if let Some(body) = &self.body {
            operation["requestBody"] = body.clone();
        }
        if self.requires == RequiredAccess::Public {
            operation["security"] = json!([]);
        }
        operation
    }
}

/// Removes `null` from an optional parameter's schema: a query cannot say null, only leave the parameter out.
fn without_null(schema: &mut Value) {
    let Some(fields) = schema.as_object_mut() else { return };
    if let Some(Value::Array(kinds)) = fields.get_mut("type") {
        kinds.retain(|kind| kind != "null");
        if let [kind] = kinds.as_slice() {
            let kind = kind.clone();
            fields.insert("type".to_owned(), kind);
        }
    }
    if let Some(Value::Array(values)) = fields.get_mut("enum") {
        values.retain(|value| !value.is_null());
    }
    if let Some(Value::Array(choices)) = fields.get_mut("anyOf") {
        choices.retain(|choice| choice["type"] != "null");
        if let [only] = choices.as_slice() {
            *schema = only.clone();
        }
    }
}

/// The document over all operations.
pub(crate) fn assemble(operations: &[Operation], mut schemas: Schemas) -> Value {
    let problem = schemas.responses.subschema_for::<cairn_wire::Problem>();
    let mut paths = Map::new();
    for operation in operations {
        let path = paths.entry(operation.path).or_insert_with(|| json!({}));
        path[operation.method] = operation.document();
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Cairn", "version": "1",
            "description": "A memory for agents: every word kept, found again, and explained.",
            "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
        },
        "servers": [{"url": "http://127.0.0.1:7777"}],
        "security": [{"key": []}, {}],
        "paths": paths,
        "components": {
            "securitySchemes": {"key": {
                "type": "http", "scheme": "bearer",
                "description": "A key that `cairn key add` printed. While there is none, a machine answers itself.",
            }},
            "responses": {"Problem": {
                "description": "what went wrong, and what to do",
                "content": {"application/problem+json": {"schema": problem}},
            }},
            "schemas": schemas.all(),
        },
    })
}
